/**
 * Lines as Markdown sees them: they end in LF, CR LF or a lone CR, and nowhere else. A line separator such as U+2028
 * is a character like any other here, so that it can't cut a verdict loose from what stands before it.
 */
export function* splitLines(text: string): Generator<{ text: string; start: number }> {
  let start = 0
  // Each is looked for again only once it was passed; otherwise a text without one of them would take quadratic time.
  let feed = -1
  let carriage = -1
  while (start <= text.length) {
    if (feed < start) feed = nextOf(text, '\n', start)
    if (carriage < start) carriage = nextOf(text, '\r', start)
    const end = Math.min(feed, carriage)
    yield { text: text.slice(start, end), start }
    start = end + (carriage + 1 === feed ? 2 : 1)
  }
}

/** Past the end when there is none. */
function nextOf(text: string, char: string, from: number): number {
  const at = text.indexOf(char, from)
  return at === -1 ? text.length : at
}
