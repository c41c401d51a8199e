import { UserError } from '../core/errors.ts'

/** A result of `umpire doctor`. `doubtful` means that it works or may work; `wrong` means that it does not. */
export interface Finding {
  name: string
  state: 'fine' | 'doubtful' | 'wrong'
  /** May have several lines. */
  text: string
  fix: string | null
}

export function fine(name: string, text: string): Finding {
  return { name, state: 'fine', text, fix: null }
}

export function doubtful(name: string, text: string, fix: string | null): Finding {
  return { name, state: 'doubtful', text, fix }
}

export function wrong(name: string, text: string, fix: string | null): Finding {
  return { name, state: 'wrong', text, fix }
}

/** An error that a person can fix becomes a finding. Other errors are bugs and are thrown on. */
export async function orWrong(name: string, look: () => Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await look()
  } catch (error) {
    if (error instanceof UserError) return [wrong(name, error.message, error.fix)]
    throw error
  }
}
