/**
 * Splits bytes into lines, on `\n` bytes and nothing else: `readline` also splits at U+2028, which may occur inside a
 * JSON string. A `\r` before the `\n` belongs to the line's end. At most `maxBytes` and one chunk are kept in memory. A
 * longer line comes in parts.
 */
export interface LinePart {
  /** A line that fits is `whole`. A longer one is a `head` of about `maxBytes`, any number of `middle`s, and a `tail`. */
  part: 'whole' | 'head' | 'middle' | 'tail'
  /** Without the line's end. May share the chunk's memory, so it is valid only until the chunk is filled again. */
  bytes: Buffer
  /** For `whole` and `tail`: the number of bytes up to here, including the line's end. */
  end: number
}

export interface LineSplitter {
  push(chunk: Buffer): LinePart[]
  /** The last line, if it had no end. */
  finish(): LinePart[]
}

const newline = 10
const carriageReturn = 13
const nothing = Buffer.alloc(0)

export function splitLines(maxBytes: number): LineSplitter {
  let held: Buffer[] = []
  let heldBytes = 0
  let before = 0
  let inLongLine = false

  function joinHeld(bytes: Buffer): Buffer {
    if (heldBytes === 0) return bytes
    const joined = Buffer.concat([...held, bytes])
    held = []
    heldBytes = 0
    return joined
  }

  function endOfLine(line: Buffer, end: number): LinePart[] {
    if (inLongLine) {
      inLongLine = false
      return [{ part: 'tail', bytes: line, end }]
    }
    if (line.length <= maxBytes) return [{ part: 'whole', bytes: line, end }]
    return cutInTwo(line, 'tail', end)
  }

  function endOfChunk(bytes: Buffer, end: number): LinePart[] {
    if (bytes.length === 0) return []
    if (inLongLine) return [{ part: 'middle', bytes, end }]
    // A copy, because the chunk's memory will be reused.
    held.push(Buffer.from(bytes))
    heldBytes += bytes.length
    if (heldBytes <= maxBytes) return []
    inLongLine = true
    return cutInTwo(joinHeld(nothing), 'middle', end)
  }

  function cutInTwo(line: Buffer, rest: 'middle' | 'tail', end: number): LinePart[] {
    const cut = characterStart(line, maxBytes)
    return [
      { part: 'head', bytes: line.subarray(0, cut), end },
      { part: rest, bytes: line.subarray(cut), end },
    ]
  }

  return {
    push(chunk) {
      const parts: LinePart[] = []
      let from = 0
      for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, from)) {
        const end = before + at + 1
        const line = withoutReturn(joinHeld(chunk.subarray(from, at)))
        if (inLongLine || line.length > maxBytes) parts.push(...endOfLine(line, end))
        else parts.push({ part: 'whole', bytes: line, end })
        from = at + 1
      }
      before += chunk.length
      parts.push(...endOfChunk(chunk.subarray(from), before))
      return parts
    },
    finish() {
      return heldBytes > 0 || inLongLine ? endOfLine(joinHeld(nothing), before) : []
    },
  }
}

function withoutReturn(line: Buffer): Buffer {
  return line.length > 0 && line[line.length - 1] === carriageReturn ? line.subarray(0, -1) : line
}

/** The start of the UTF-8 character at `at`, so that no character is cut in two. */
function characterStart(bytes: Buffer, at: number): number {
  for (let start = at; start > Math.max(0, at - 4); start--) {
    if (((bytes[start] ?? 0) & 0xc0) !== 0x80) return start
  }
  return at
}
