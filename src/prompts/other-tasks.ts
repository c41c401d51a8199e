/** What a reviewer is told about other tasks: those that run in parallel, and work that was merged into this one's. */
import type { ConflictFile, ConflictKind } from '../core/phases/landing-state.ts'
import { oneLine } from '../lib/text/printable.ts'
import { shortenDiff } from './shorten.ts'
import { headAndTail, paragraphs, untrusted } from './untrusted.ts'

export interface OtherLoop {
  title: string
  status: string
  iteration: number
  /** Whether this is the loop under review. */
  own: boolean
}

/** At most this many loops are named: those next to the one under review. */
const mostNamed = 30

const longestTitle = 120

/** Keeps a reviewer from asking one task for another task's work. Null when no other loop runs. */
export function renderOtherLoops(loops: OtherLoop[]): string | null {
  if (!loops.some(({ own }) => !own)) return null
  const lines = loops.map((loop, index) => ({ loop, line: describe(loop, index) }))
  const at = lines.findIndex(({ loop }) => loop.own)
  const first = Math.max(0, Math.min(at - Math.floor(mostNamed / 2), lines.length - mostNamed))
  const shown = lines.slice(first, first + mostNamed)
  const left = lines.length - shown.length
  const rest = left > 0 ? [`… and ${left} more`] : []
  return (
    '## Other loops\n\nThese tasks run in parallel, each on its own branch, which you do not see here. ' +
    'Do not ask this task to do the work of another.\n\n' +
    untrusted([...shown.map(({ line }) => line), ...rest].join('\n'))
  )
}

/** `Loop C (in_progress): Add a page, iteration 3`. */
function describe({ title, status, iteration, own }: OtherLoop, index: number): string {
  const turn = status === 'in_progress' && iteration > 0 ? `, iteration ${iteration}` : ''
  const mark = own ? ' (the one under review)' : ''
  return `Loop ${letters(index)} (${status}): ${oneLine(title, longestTitle)}${turn}${mark}`
}

/** A, B, …, Z, AA, AB, … */
function letters(index: number): string {
  const last = String.fromCharCode(65 + (index % 26))
  return index < 26 ? last : `${letters(Math.floor(index / 26) - 1)}${last}`
}

export interface MergedInBrief {
  /** The branch that was merged in last. */
  branch: string
  /** Each merge whose conflicts were resolved by a person or an agent and that no reviewer has approved yet. */
  resolved: ResolvedMerge[]
  /** The file with the whole diffs, for when the prompt has no room for them. */
  file: string
}

export interface ResolvedMerge {
  branch: string
  /** The tasks that produced the other side, as far as they are known. */
  intentions: { id: number; title: string }[]
  conflicts: ConflictFile[]
  /** Files without a conflict that differ from what git merged; null when that is no longer known. */
  beyond: string[] | null
  againstOurs: string
  againstTheirs: string
}

/** Name of the session file with the whole diffs. */
export const mergesFile = 'merges.diff'

/** The content of that file, or null when the prompt has room for it. */
export function wholeMerges(brief: MergedInBrief | null, room: number): string | null {
  const texts =
    brief?.resolved.flatMap(({ againstOurs, againstTheirs }) => [againstOurs, againstTheirs]) ?? []
  return texts.every((text) => text.length <= room * share) ? null : texts.join('\n')
}

const share = 1 / 8

/**
 * What a reviewer is told when another branch was merged into the work: what conflicted, and how it was resolved.
 * `shows` says whether the prompt shows diffs at all.
 */
export function renderMergedIn(brief: MergedInBrief | null, room: number, shows: boolean): string | null {
  if (brief === null) return null
  const { resolved, file } = brief
  const branches = resolved.length > 0 ? resolved.map(({ branch }) => branch) : [brief.branch]
  return paragraphs(
    '## This is the resolution of a merge\n\nThis work conflicted with changes made in parallel, or it builds on tasks ' +
      `that conflict with each other. ${branches.map((branch) => JSON.stringify(branch)).join(', then ')} was merged into ` +
      'it, and the conflicts were resolved. Each side was written without the other, and you are the first to judge the ' +
      'result of both. Check above all that both sides still do what they were meant to do, and that nothing was lost or ' +
      'duplicated. Work that is lost here is lost everywhere.',
    ...resolved.map((merge) => renderResolved(merge, room * share, shows)),
    shows &&
      wholeMerges(brief, room) !== null &&
      `These diffs are shortened. The file ${JSON.stringify(file)} has them whole.`,
  ).trimEnd()
}

const kinds: Record<ConflictKind, string> = {
  text: 'text',
  deleted: 'modify/delete: one side deleted it, the other changed it',
  whole:
    'binary, or otherwise without lines to compare: resolved by taking one side, or by writing something new',
}

function renderResolved(merge: ResolvedMerge, room: number, shows: boolean): string {
  const { branch, intentions, conflicts, beyond } = merge
  return paragraphs(
    `### The merge of ${JSON.stringify(branch)}`,
    intentions.length > 0 &&
      `What the other side was meant to do:\n\n${untrusted(intentions.map(({ id, title }) => `${id}. ${title}`).join('\n'))}`,
    `Files in conflict:\n\n${untrusted(headAndTail(conflicts.map(nameConflict).join('\n'), room))}`,
    beyond === null && 'It is no longer known whether files without a conflict were changed as well.',
    beyond?.length === 0 && 'All other files are exactly as git merged them.',
    beyond !== null &&
      beyond.length > 0 &&
      'These files had no conflict, and still they are not as git merged them by itself. There must be a reason for ' +
        `each:\n\n${untrusted(headAndTail(beyond.map((path) => JSON.stringify(path)).join('\n'), room))}`,
    shows && renderSide('this side', merge.againstOurs, room),
    shows && renderSide('the other side', merge.againstTheirs, room),
  ).trimEnd()
}

function nameConflict({ path, kind }: ConflictFile): string {
  return `${JSON.stringify(path)} (${kinds[kind]})`
}

function renderSide(side: string, text: string, room: number): string {
  const what = `The resolved files compared with ${side} (a line with \`-\` was there and is gone)`
  if (text === '') return `${what}: no difference. These files are exactly as ${side} had them.`
  const short = text.length <= room ? text : shortenDiff(text, room).text || headAndTail(text, room)
  return `${what}:\n\n${untrusted(short, 'diff')}`
}
