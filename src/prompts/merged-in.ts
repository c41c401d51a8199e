/** What a reviewer is told of work into which another branch was merged: what conflicted, and what somebody made of it. */
import type { ConflictFile, ConflictKind } from '../core/resolution.ts'
import { shortenDiff } from './shorten-diff.ts'
import { headAndTail, paragraphs, untrusted } from './untrusted.ts'

export interface MergedInBrief {
  /** The one that was merged in last. */
  branch: string
  /** Each merge in which somebody had to settle something that no reviewer has approved yet. */
  settled: SettledMerge[]
  /** Where the diffs are whole when there is no room for them. */
  file: string
}

export interface SettledMerge {
  branch: string
  /** The tasks whose work the other side is, as far as they are known. */
  intentions: { id: number; title: string }[]
  conflicts: ConflictFile[]
  /** Files without a conflict that are not as git merged them; null when that can't be told any more. */
  beyond: string[] | null
  againstOurs: string
  againstTheirs: string
}

/** Among the files of the session. */
export const mergesFile = 'merges.diff'

/** What goes there, or null when the prompt has room for it. */
export function wholeMerges(brief: MergedInBrief | null, room: number): string | null {
  const texts = brief?.settled.flatMap(({ againstOurs, againstTheirs }) => [againstOurs, againstTheirs]) ?? []
  return texts.every((text) => text.length <= room * share) ? null : texts.join('\n')
}

const share = 1 / 8

/** `shows`: whether diffs are shown at all. */
export function renderMergedIn(brief: MergedInBrief | null, room: number, shows: boolean): string | null {
  if (brief === null) return null
  const { settled, file } = brief
  const branches = settled.length > 0 ? settled.map(({ branch }) => branch) : [brief.branch]
  return paragraphs(
    '## This is the resolution of a merge\n\nThis work conflicted with what others did meanwhile, or is built on works ' +
      `that conflict with each other. ${branches.map((branch) => JSON.stringify(branch)).join(', then ')} was merged into ` +
      'it, and what conflicted was settled. Each side was done for itself, and nobody has judged what was made of both ' +
      'but you. Look above all whether both sides still do what they were meant to do, and whether anything of either was ' +
      'lost or came twice. Work that was lost here is lost everywhere.',
    ...settled.map((merge) => renderSettled(merge, room * share, shows)),
    shows &&
      wholeMerges(brief, room) !== null &&
      `Not all of these diffs is shown. They are whole in the file ${JSON.stringify(file)}.`,
  ).trimEnd()
}

const kinds: Record<ConflictKind, string> = {
  text: 'text',
  deleted: 'modify/delete: one side deleted it, the other changed it',
  whole: 'binary, or otherwise without lines to compare: one side was taken, or something new put there',
}

function renderSettled(merge: SettledMerge, room: number, shows: boolean): string {
  const { branch, intentions, conflicts, beyond } = merge
  return paragraphs(
    `### The merge of ${JSON.stringify(branch)}`,
    intentions.length > 0 &&
      `What the other side was meant to do:\n\n${untrusted(intentions.map(({ id, title }) => `${id}. ${title}`).join('\n'))}`,
    `Files in conflict:\n\n${untrusted(headAndTail(conflicts.map(nameConflict).join('\n'), room))}`,
    beyond === null && 'Whether files without a conflict were changed as well can not be told any more.',
    beyond?.length === 0 && 'All other files are as git merged them by itself.',
    beyond !== null &&
      beyond.length > 0 &&
      'Nothing conflicted in these files, and they are not as git merged them by itself. There has to be a reason for ' +
        `each:\n\n${untrusted(headAndTail(beyond.map((path) => JSON.stringify(path)).join('\n'), room))}`,
    shows && renderSide('this side', merge.againstOurs, room),
    shows && renderSide('the other side', merge.againstTheirs, room),
  ).trimEnd()
}

function nameConflict({ path, kind }: ConflictFile): string {
  return `${JSON.stringify(path)} (${kinds[kind]})`
}

function renderSide(side: string, text: string, room: number): string {
  const what = `What was made of these files, against ${side} (a line with \`-\` was there and is not any more)`
  if (text === '') return `${what}: no difference. These files are exactly as ${side} had them.`
  const short = text.length <= room ? text : shortenDiff(text, room).text || headAndTail(text, room)
  return `${what}:\n\n${untrusted(short, 'diff')}`
}
