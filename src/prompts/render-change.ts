/** The work under review as the reviewer's prompt shows it: the whole diff, or as much of it as the agent can read. */
import type { Diff } from '../vcs/review-rooms.ts'
import { shortenDiff } from './shorten.ts'
import { headAndTail, paragraphs, untrusted } from './untrusted.ts'

/** Name of the session file with the whole diff, written when the prompt shows only a part of it. */
export const changeFile = 'change.diff'

export function isWhole({ text }: Pick<Diff, 'text'>, room: number): boolean {
  return text.length <= room
}

/** `file` has the whole diff (up to the size Umpire can keep) when the prompt shows only a part of it. */
export function renderChange(diff: Diff, room: number, file: string): string {
  const short = isWhole(diff, room) ? null : shortenDiff(diff.text, room)
  return paragraphs(
    `## The change\n\nThe ${diff.cut ? '' : 'whole '}difference to the base. HEAD of this copy is one commit that contains it.`,
    untrusted(listFiles(diff, Math.floor(room * listShare))),
    short &&
      `The diff has ${diff.text.length} characters, which is too long to show here. Below are its largest parts, ` +
        `${short.shown} of ${short.all} hunks. ${diff.cut ? 'More' : 'All'} of it is in the file ` +
        `${JSON.stringify(file)}. Read what you need for your judgement there, a piece at a time, or in the files of the ` +
        'working directory. Do not approve changes that you have not read.',
    diff.cut && missingEnd(short ? 'here and in that file' : 'here'),
    untrusted(short ? short.text : diff.text, 'diff'),
  ).trimEnd()
}

/** This note is outside the fence, so that no file can forge it and shortening the diff cannot remove it. */
function missingEnd(where: string): string {
  return (
    `**The end of the diff is missing, ${where}:** it is longer than Umpire can show. The files of the working ` +
    'directory are complete, but you cannot see which of their lines the missing part changed. Do not approve what you could not ' +
    'see. If it matters for your judgement, ask for smaller changes or for a discussion.'
  )
}

const listShare = 1 / 4

/** What changed since the reviewer's last review. It is a part of the change above. */
export function renderSinceLast(text: string, room: number): string {
  const short = text.length <= room ? text : shortenDiff(text, room).text || headAndTail(text, room)
  return `## What changed since your last review\n\n${untrusted(short, 'diff')}`
}

function listFiles({ files }: Diff, room: number): string {
  const line = ({ path, added, removed }: Diff['files'][number]) => {
    const size = added === null || removed === null ? 'binary' : `+${added} -${removed}`
    return `${size} ${JSON.stringify(path)}\n`
  }
  const all = files.map(line).join('')
  if (all.length <= room) return all
  // Largest first, so that only the smallest are left out.
  const lines = files.toSorted((one, other) => sizeOf(other) - sizeOf(one)).map(line)
  let length = 0
  const fit = lines.findIndex((each) => {
    length += each.length
    return length > room
  })
  return `${lines.slice(0, fit).join('')}[… and ${lines.length - fit} smaller changes in other files …]\n`
}

function sizeOf({ added, removed }: Diff['files'][number]): number {
  return (added ?? 0) + (removed ?? 0)
}
