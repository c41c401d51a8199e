/** What the checks give back: where something does not hold, and a sentence, without its full stop, that says what. */
export function violation(at, text) {
  return { stream: at.stream, version: at.version ?? null, seq: at.seq ?? null, text }
}

/** Text of agents and people may be in it: only what a terminal shows and does not obey is printed. */
export function plain(text) {
  return text.replace(/[^\x20-\x7e\n]/g, '?')
}

export function short(sha) {
  return typeof sha === 'string' && sha !== '' ? sha.slice(0, 10) : 'nothing'
}
