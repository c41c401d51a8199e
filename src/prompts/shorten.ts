/**
 * Shortens diffs, and prompts that were too long for a model. In the short form of a prompt long texts are cut, and a
 * file next to it has the whole prompt.
 */
import { headAndTail } from './untrusted.ts'

/** Name of the session file with the whole prompt. */
export const wholePromptFile = 'whole-prompt.md'

/** The short form leaves this share of the usual room for a diff. */
export const shortShare = 1 / 8

const longestText = 4_000

export function withNotice(prompt: string, file: string): string {
  return (
    'This is a short form: the whole prompt was too long for you. Each cut in a long text is marked. The whole prompt is in ' +
    `the file ${JSON.stringify(file)}. Read what you need there, a piece at a time.\n\n${prompt}`
  )
}

/** The same value with every long text in it cut in the middle. */
export function shortenTexts<T>(value: T): T {
  if (typeof value === 'string') return headAndTail(value, longestText) as T
  if (Array.isArray(value)) return value.map((each) => shortenTexts(each)) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, shortenTexts(each)])) as T
}

interface ShortDiff {
  text: string
  /** How many hunks the text contains. */
  shown: number
  all: number
}

interface Hunk {
  file: number
  text: string
}

/** A single hunk, for example of a lock file, must not use up the room of all the others. */
const largestShare = 1 / 4

/**
 * Shortens a diff that is too long for a prompt. It keeps the largest hunks that fit, in the order of the diff, and
 * marks each place where hunks are left out.
 */
export function shortenDiff(diff: string, room: number): ShortDiff {
  // Content lines begin with a space or a sign, so these heads cannot be content. Only `\n` ends a line: files may
  // contain other line separators.
  const files = diff.split(/(?<=\n)(?=diff --git )/).map((file) => {
    const [head = '', ...hunks] = file.split(/(?<=\n)(?=@@ )/)
    return { head, hunks }
  })
  const hunks = files.flatMap(({ hunks }, file) => hunks.map((text): Hunk => ({ file, text })))
  const chosen = choose(hunks, (file) => files[file]?.head.length ?? 0, room)
  const parts = files.map(({ head, hunks: own }, file) => {
    const shown = hunks.filter((hunk) => hunk.file === file && chosen.has(hunk)).map(cut)
    if (shown.length === 0) return ''
    const missing = own.length - shown.length
    return `${head}${shown.join('')}${missing === 0 ? '' : `[… ${missing} more ${missing === 1 ? 'hunk' : 'hunks'} of this file …]\n`}`
  })
  return { text: parts.join(''), shown: chosen.size, all: hunks.length }

  function cut({ text }: Hunk): string {
    const short = headAndTail(text, Math.floor(room * largestShare))
    return short.endsWith('\n') ? short : `${short}\n`
  }
}

/** Takes the largest hunks first, as long as they fit. The first hunk of a file also costs the file's heading. */
function choose(hunks: Hunk[], headOf: (file: number) => number, room: number): Set<Hunk> {
  const chosen = new Set<Hunk>()
  const begun = new Set<number>()
  let left = room
  for (const hunk of hunks.toSorted((one, other) => other.text.length - one.text.length)) {
    const size = Math.min(hunk.text.length, room * largestShare) + noteLength
    const cost = size + (begun.has(hunk.file) ? 0 : headOf(hunk.file))
    if (cost > left) continue
    left -= cost
    chosen.add(hunk)
    begun.add(hunk.file)
  }
  return chosen
}

/** The notes about what is left out need room, too. */
const noteLength = 120
