/** The work that is to be reviewed, as a reviewer's prompt shows it: whole, or as much of it as the agent can take. */
import type { Diff } from '../vcs/vcs.ts'
import { shortenDiff } from './shorten-diff.ts'
import { headAndTail, paragraphs, untrusted } from './untrusted.ts'

/** Among the files of the session: the whole diff, where the prompt has only a part of it. */
export const changeFile = 'change.diff'

export function isWhole({ text }: Pick<Diff, 'text'>, room: number): boolean {
  return text.length <= room
}

/** `file` is where the whole diff is, if it is not whole here: as much of it as can be held at all. */
export function renderChange(diff: Diff, room: number, file: string): string {
  const short = isWhole(diff, room) ? null : shortenDiff(diff.text, room)
  return paragraphs(
    `## The change\n\nThe ${diff.cut ? '' : 'whole '}difference to the base; HEAD of this copy holds it as one commit.`,
    untrusted(listFiles(diff, Math.floor(room * listShare))),
    short &&
      `The diff of ${diff.text.length} characters is too long to be shown here whole. Below are its largest parts, ` +
        `${short.shown} of ${short.all} hunks. ${diff.cut ? 'More' : 'All'} of it is in the file ` +
        `${JSON.stringify(file)}: read there, a piece at a time, or in the files of the working directory, whatever you ` +
        'need for your judgement. What you have not looked at you can not approve.',
    diff.cut && missingEnd(short ? 'here and in that file' : 'here'),
    untrusted(short ? short.text : diff.text, 'diff'),
  ).trimEnd()
}

/** Outside of the fence, where no file can say it, and where nothing that shortens the diff can take it away. */
function missingEnd(where: string): string {
  return (
    `**The end of the diff is missing, ${where}:** it is longer than what can be shown at all. The files of the working ` +
    'directory are whole; what changed in them and is not in the diff you can not see. Do not approve what you could not ' +
    'see: if that matters for your judgement, ask for smaller changes, or for a discussion.'
  )
}

const listShare = 1 / 4

/** What changed since the reviewer last looked; it is a part of the change above. */
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
  // The largest first, so that those that are left out are the smallest.
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
