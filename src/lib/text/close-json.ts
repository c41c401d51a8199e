/**
 * Closes a JSON object whose text was cut off inside one of its strings, so that the part before can be read. Null if
 * it was cut off elsewhere, or is not JSON.
 */
export function closeJson(text: string): string | null {
  const open: string[] = []
  let inString = false
  let end = text.length
  for (const { 0: token, index } of text.matchAll(/\\(?:u[\da-fA-F]{0,4}|[\s\S])?|["{}[\]]/g)) {
    if (inString) {
      if (token === '"') inString = false
      else if (isCutOff(token) && index + token.length === end) end = index
    } else if (token === '"') inString = true
    else if (token === '{') open.push('}')
    else if (token === '[') open.push(']')
    else if (open.pop() !== token) return null
  }
  if (!inString) return null
  const closed = `${text.slice(0, end)}"${open.reverse().join('')}`
  try {
    JSON.parse(closed)
    return closed
  } catch {
    return null
  }
}

/** The beginning of an escape sequence. */
function isCutOff(token: string): boolean {
  return token === '\\' || (token.startsWith('\\u') && token.length < 6)
}
