export const efforts = ['low', 'medium', 'high', 'max'] as const
export type Effort = (typeof efforts)[number]

export type ReviewDepth = 'shallow' | 'standard' | 'deep' | 'comprehensive'

/** What an effort level allows. */
interface EffortLevel {
  /** How often work may be revised. */
  maxRevisionAttempts: number
  /** How closely the reviewer reads. */
  depth: ReviewDepth
  /** After how many developer sessions unfinished work gets a checkpoint review; null for never. */
  checkpointEvery: number | null
}

export const effortTable: Record<Effort, EffortLevel> = {
  low: { maxRevisionAttempts: 2, depth: 'shallow', checkpointEvery: null },
  medium: { maxRevisionAttempts: 3, depth: 'standard', checkpointEvery: 5 },
  high: { maxRevisionAttempts: 4, depth: 'deep', checkpointEvery: 3 },
  max: { maxRevisionAttempts: 5, depth: 'comprehensive', checkpointEvery: 1 },
}
