/** The results of the gates on the work. */
import type { GateResult } from '../event.ts'

export interface CheckState {
  /** The commands of the task's own gates that were run on the base. */
  baselined: string[]
  gates: { tree: string; results: GateSummary[] } | null
  /** The hook that refused the last commit. */
  refusal: GateSummary | null
  /** How many rounds in a row ended with a failed gate. */
  failures: number
}

export type GateSummary = Pick<GateResult, 'name' | 'command' | 'passed' | 'exitCode' | 'timedOut' | 'output'>

export const noCheck: CheckState = { baselined: [], gates: null, refusal: null, failures: 0 }
