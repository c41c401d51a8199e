/**
 * Removes secrets from text before it is stored, in two ways: by the values of this process's own secret-looking
 * variables (an agent that prints its environment prints those), and by the well-known shapes of keys and tokens.
 */
const secretName = /(KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)$/i

/** Shorter values are ordinary words more often than secrets. */
const shortestSecret = 8

const secretShapes = [
  /\bsk-[A-Za-z0-9_-]{20,}/g,
  /\bgh[pousr]_[A-Za-z0-9]{30,}/g,
  /\bgithub_pat_[A-Za-z0-9_]{30,}/g,
  /\bglpat-[A-Za-z0-9_-]{20,}/g,
  /\bxox[abprs]-[A-Za-z0-9-]{10,}/g,
  /\b(AKIA|ASIA)[A-Z0-9]{16}\b/g,
  /\bAIza[A-Za-z0-9_-]{35}/g,
  /\bnpm_[A-Za-z0-9]{36}/g,
  /\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}/g,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?-----END [A-Z ]*PRIVATE KEY-----/g,
]

/** How each of them begins. Hardly any line contains one, and one search is ten times as fast as a search for each. */
const anyBeginning = /sk-|gh[pousr]_|github_pat_|glpat-|xox[abprs]-|AKIA|ASIA|AIza|npm_|eyJ|-----BEGIN/

export const mask = '[redacted]'

/** Whether a variable of this name contains a secret. */
export function isSecretName(name: string): boolean {
  return secretName.test(name)
}

export type Redact = (text: string) => string

/** The values of variables whose names say that they are secret. */
export function secretValues(env: NodeJS.ProcessEnv): string[] {
  return Object.entries(env)
    .filter(([name, value]) => secretName.test(name) && (value?.length ?? 0) >= shortestSecret)
    .map(([, value]) => value ?? '')
}

/** `more` are secrets known from elsewhere. */
export function createRedact(env: NodeJS.ProcessEnv, more: string[] = []): Redact {
  const values = [...secretValues(env), ...more].sort((one, other) => other.length - one.length)
  return (text) => {
    let clean = text
    for (const value of values) if (clean.includes(value)) clean = clean.replaceAll(value, mask)
    if (!anyBeginning.test(clean)) return clean
    for (const shape of secretShapes) clean = clean.replace(shape, mask)
    return clean
  }
}

/** Redacts text that comes in pieces. Its output lags behind, so that a secret split over two pieces is still found. */
export interface PieceRedactor {
  push(piece: string): string
  finish(): string
}

/** The longest secret that is found across two pieces. A private key has some 3,000 characters. */
const longestSecret = 16_000

/**
 * Keeps at most one piece and a few times `longestSecret` in memory. It finds out by trial where a text may be cut: a
 * cut is right if both sides, redacted separately, give the same result as when redacted together.
 */
export function redactPieces(redact: Redact): PieceRedactor {
  let held = ''

  function isRightCut(at: number): boolean {
    const left = held.slice(Math.max(0, at - longestSecret), at)
    const right = held.slice(at, at + longestSecret)
    return redact(left) + redact(right) === redact(left + right)
  }

  return {
    push(piece) {
      held += piece
      if (held.length < 4 * longestSecret) return ''
      const latest = held.length - longestSecret
      let cut = latest
      while (cut > latest - 2 * longestSecret && !isRightCut(cut)) cut -= 1_000
      const ready = redact(held.slice(0, cut))
      held = held.slice(cut)
      return ready
    },
    finish() {
      const rest = redact(held)
      held = ''
      return rest
    },
  }
}
