/**
 * Takes secrets out of text before it is stored. Two nets: the values of this process's own secret-looking variables
 * (an agent that prints its environment prints those), and the well-known shapes of keys and tokens.
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

/** How each of them begins. Nearly no line holds one, and looking once is ten times as fast as looking for each. */
const anyBeginning = /sk-|gh[pousr]_|github_pat_|glpat-|xox[abprs]-|AKIA|ASIA|AIza|npm_|eyJ|-----BEGIN/

export const mask = '[redacted]'

/** Whether a variable of this name holds what nobody should see. */
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

/** `more` are secrets that are known from elsewhere. */
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

/** Text that comes in pieces: what is given back lags behind, so that no secret is cut in two and overlooked. */
export interface PieceRedactor {
  push(piece: string): string
  finish(): string
}

/** A secret may be this long, and is still found across the border of two pieces. A private key has some 3,000 characters. */
const longestSecret = 16_000

/**
 * Holds no more than a piece and a few times `longestSecret`. Where a text may be cut is tried out: a cut is right when
 * both its sides, redacted by themselves, make the same as when they are redacted together.
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
