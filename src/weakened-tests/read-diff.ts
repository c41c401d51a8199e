/**
 * Reads a unified diff as git writes it, file by file in one pass. It counts the lines of each hunk by the hunk's header,
 * so that no line of a file is taken for a header. It keeps only `wanted` files, and only the beginning of their lines: a
 * diff may be 64 MB, and most of it does not matter here.
 */

export interface DiffFile {
  /** Null for a new file. */
  from: string | null
  /** Null for a deleted file. */
  to: string | null
  content: 'text' | 'binary'
  hunks: DiffHunk[]
}

export interface DiffHunk {
  /** The text after the hunk's header: the last line above the hunk without an indent, according to git. */
  section: string
  lines: DiffLine[]
}

export interface DiffLine {
  side: 'both' | 'old' | 'new'
  /** The line number on the new side, or on the old side for a removed line. */
  line: number
  text: string
}

/** The part of a line that is read. Only minified files and data have longer lines. */
const longestLine = 1000
/** Room for two paths of the greatest possible length, quoted or not. */
const longestHeading = 20_000

export function readDiff(diff: string, wanted: (path: string) => boolean): DiffFile[] {
  const files: DiffFile[] = []
  let at = 0
  const peek = () => diff.slice(at, Math.min(lineEnd(), at + longestHeading))
  const lineEnd = () => {
    const end = diff.indexOf('\n', at)
    return end < 0 ? diff.length : end
  }
  const skip = () => {
    at = lineEnd() + 1
  }
  while (at < diff.length) {
    const line = peek()
    if (line.startsWith('diff --git ')) {
      skip()
      const file = readHeading(line)
      if (wanted(file.from ?? '') || wanted(file.to ?? '')) files.push(file)
      readHunks(file)
    } else skip()
  }
  return files

  /** The lines between `diff --git` and the first hunk. */
  function readHeading(first: string): DiffFile {
    const both = parseBothPaths(first.slice('diff --git '.length))
    const file: DiffFile = { from: both, to: both, content: 'text', hunks: [] }
    while (at < diff.length && !diff.startsWith('@@ ', at) && !diff.startsWith('diff --git ', at)) {
      const line = peek()
      const after = (words: string) => (line.startsWith(words) ? line.slice(words.length) : null)
      const from = after('rename from ') ?? after('copy from ')
      const to = after('rename to ') ?? after('copy to ')
      if (from !== null) file.from = parsePath(from, '')
      else if (to !== null) file.to = parsePath(to, '')
      else if (line.startsWith('deleted file mode ')) file.to = null
      else if (line.startsWith('new file mode ')) file.from = null
      else if (line.startsWith('Binary files ') || line === 'GIT binary patch') file.content = 'binary'
      else if (line.startsWith('--- ')) file.from = parsePath(line.slice(4), 'a/')
      else if (line.startsWith('+++ ')) file.to = parsePath(line.slice(4), 'b/')
      skip()
    }
    return file
  }

  function readHunks(file: DiffFile): void {
    const keep = files.at(-1) === file
    while (diff.startsWith('@@ ', at)) {
      const heading = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?/.exec(peek())
      if (!heading) return skip()
      const hunk: DiffHunk = { section: withoutReturn(peek().slice(heading[0].length)), lines: [] }
      if (keep) file.hunks.push(hunk)
      const [oldStart, newStart] = [Number(heading[1]), Number(heading[3])]
      skip()
      readLines(hunk, keep, {
        oldStart,
        newStart,
        old: Number(heading[2] ?? 1),
        new: Number(heading[4] ?? 1),
      })
    }
  }

  function readLines(
    { lines }: DiffHunk,
    keep: boolean,
    left: { oldStart: number; newStart: number; old: number; new: number },
  ): void {
    let [oldLine, newLine] = [left.oldStart, left.newStart]
    while (at < diff.length && (left.old > 0 || left.new > 0 || diff.startsWith('\\', at))) {
      const sign = diff[at]
      const text = keep ? withoutReturn(diff.slice(at + 1, Math.min(lineEnd(), at + longestLine))) : ''
      if (sign === '-') {
        if (keep) lines.push({ side: 'old', line: oldLine, text })
        left.old -= 1
        oldLine += 1
      } else if (sign === '+') {
        if (keep) lines.push({ side: 'new', line: newLine, text })
        left.new -= 1
        newLine += 1
      } else if (sign === ' ' || sign === '\n') {
        if (keep) lines.push({ side: 'both', line: newLine, text })
        left.old -= 1
        left.new -= 1
        oldLine += 1
        newLine += 1
        // Any line other than `\ No newline at end of file` means that the diff was cut off here.
      } else if (sign !== '\\') return
      skip()
    }
  }
}

function withoutReturn(text: string): string {
  return text.endsWith('\r') ? text.slice(0, -1) : text
}

/** The rest of this file parses paths. Git quotes a path that contains unusual characters, with these escapes. */

const escapes: Record<string, number> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13 }

/** The path after `--- `, `+++ `, `rename from ` and the like, or null if there is no file. */
function parsePath(written: string, prefix: '' | 'a/' | 'b/'): string | null {
  // Git ends a name that contains a space with a tab.
  const name = written.startsWith('"') ? unquote(written) : written.replace(/\t$/, '')
  if (name === '/dev/null') return null
  return name.startsWith(prefix) ? name.slice(prefix.length) : name
}

/** The path after `diff --git `. It is only used if the header names no other path, and then both names are the same. */
function parseBothPaths(written: string): string {
  if (written.startsWith('"')) return unquote(written).slice('a/'.length)
  return written.slice('a/'.length, 'a/'.length + (written.length - 'a/ b/'.length) / 2)
}

function unquote(written: string): string {
  const bytes: number[] = []
  const source = Buffer.from(written, 'utf8')
  for (let at = 1; at < source.length; at++) {
    const byte = source[at] ?? 0
    if (byte === 0x22) break
    if (byte !== 0x5c) {
      bytes.push(byte)
      continue
    }
    at += 1
    const sign = String.fromCharCode(source[at] ?? 0)
    const octal = /^[0-3][0-7]{2}/.exec(source.subarray(at, at + 3).toString('latin1'))
    if (octal) at += 2
    bytes.push(octal ? Number.parseInt(octal[0], 8) : (escapes[sign] ?? source[at] ?? 0))
  }
  return Buffer.from(bytes).toString('utf8')
}
