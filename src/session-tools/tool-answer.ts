/** What the agent is told: how it went, or what is wrong and what to do about it. */
export type ToolAnswer = { kind: 'done' | 'refused'; text: string }

export function refuse({ why, fix }: { why: string; fix: string }): ToolAnswer {
  return { kind: 'refused', text: `${why} ${fix}` }
}
