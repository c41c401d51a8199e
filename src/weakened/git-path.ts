/** The paths of a diff, which git writes in quotes where they hold anything unusual. */

const escapes: Record<string, number> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13 }

/** What follows `--- `, `+++ `, `rename from ` and the like; null for no file at all. */
export function parsePath(written: string, prefix: '' | 'a/' | 'b/'): string | null {
  // A tab ends a name with a space in it.
  const name = written.startsWith('"') ? unquote(written) : written.replace(/\t$/, '')
  if (name === '/dev/null') return null
  return name.startsWith(prefix) ? name.slice(prefix.length) : name
}

/** What follows `diff --git `: both names are the same where nothing else in the heading tells them. */
export function parseBothPaths(written: string): string {
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
