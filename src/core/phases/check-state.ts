/** What the gates said of the work. */
import type { GateResult } from '../event.ts'

export interface CheckState {
  /** The task's own gates that were tried on the base, by their commands. */
  baselined: string[]
  gates: { tree: string; results: GateSummary[] } | null
  /** The hook that refused the last commit. */
  refusal: GateSummary | null
  /** Rounds in a row that a gate failed. */
  failures: number
}

export type GateSummary = Pick<GateResult, 'name' | 'command' | 'passed' | 'exitCode' | 'timedOut' | 'output'>

export const noCheck: CheckState = { baselined: [], gates: null, refusal: null, failures: 0 }
