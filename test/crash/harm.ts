/** Where and how the driver (test/fixtures/crash/driver.ts) harms itself. */
export interface Harm {
  /** The name and the number of a call: `append#7`, `vcs.commit#2`. */
  at: string
  side: 'before' | 'after'
  how: 'SIGKILL' | 'SIGSTOP'
}

/** The instants before and after every call that an undisturbed run printed. */
export function instants(told: string[], how: Harm['how']): Harm[] {
  const calls = told.filter((line) => line.includes('#'))
  // Timing decides in how many pieces a transcript is stored. Each of the five sessions has at least one.
  const sure = calls.filter((call) => !/^archive\.addMessages#([6-9]|\d\d)/.test(call))
  return sure.flatMap((at) => (['before', 'after'] as const).map((side) => ({ at, side, how })))
}
