/** What a reviewer is told when another branch was merged into the work: what conflicted, and how it was resolved. */
import type { ConflictFile, ConflictKind } from '../core/resolution.ts'
import { shortenDiff } from './shorten-diff.ts'
import { headAndTail, paragraphs, untrusted } from './untrusted.ts'

export interface MergedInBrief {
  /** The branch that was merged in last. */
  branch: string
  /** Each merge whose conflicts were resolved by a person or an agent and that no reviewer has approved yet. */
  settled: ResolvedMerge[]
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
  const texts = brief?.settled.flatMap(({ againstOurs, againstTheirs }) => [againstOurs, againstTheirs]) ?? []
  return texts.every((text) => text.length <= room * share) ? null : texts.join('\n')
}

const share = 1 / 8

/** `shows` says whether the prompt shows diffs at all. */
export function renderMergedIn(brief: MergedInBrief | null, room: number, shows: boolean): string | null {
  if (brief === null) return null
  const { settled, file } = brief
  const branches = settled.length > 0 ? settled.map(({ branch }) => branch) : [brief.branch]
  return paragraphs(
    '## This is the resolution of a merge\n\nThis work conflicted with changes made in parallel, or it builds on tasks ' +
      `that conflict with each other. ${branches.map((branch) => JSON.stringify(branch)).join(', then ')} was merged into ` +
      'it, and the conflicts were resolved. Each side was written without the other, and you are the first to judge the ' +
      'result of both. Check above all that both sides still do what they were meant to do, and that nothing was lost or ' +
      'duplicated. Work that is lost here is lost everywhere.',
    ...settled.map((merge) => renderSettled(merge, room * share, shows)),
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

function renderSettled(merge: ResolvedMerge, room: number, shows: boolean): string {
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
