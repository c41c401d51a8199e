/**
 * The result of a check: where a rule is broken, and a sentence, without its full stop, that says what is wrong.
 */
export function violation(at, text) {
  return { stream: at.stream, version: at.version ?? null, seq: at.seq ?? null, text }
}

/** A violation may contain text from agents and people, so only printable ASCII is kept. */
export function plain(text) {
  return text.replace(/[^\x20-\x7e\n]/g, '?')
}

export function short(sha) {
  return typeof sha === 'string' && sha !== '' ? sha.slice(0, 10) : 'nothing'
}
