/**
 * The result of a check: where a rule does not hold, and a sentence, without its full stop, that says what is wrong.
 */
export function violation(at, text) {
  return { stream: at.stream, version: at.version ?? null, seq: at.seq ?? null, text }
}

/** It may contain text of agents and people, so only harmless characters are printed. */
export function plain(text) {
  return text.replace(/[^\x20-\x7e\n]/g, '?')
}

export function short(sha) {
  return typeof sha === 'string' && sha !== '' ? sha.slice(0, 10) : 'nothing'
}
