export const efforts = ['low', 'medium', 'high', 'max'] as const
export type Effort = (typeof efforts)[number]

export type ReviewDepth = 'shallow' | 'standard' | 'deep' | 'comprehensive'

/** What an effort level buys: how often work may be revised, and how closely it is read. */
export const effortTable: Record<Effort, { maxRevisionAttempts: number; depth: ReviewDepth }> = {
  low: { maxRevisionAttempts: 2, depth: 'shallow' },
  medium: { maxRevisionAttempts: 3, depth: 'standard' },
  high: { maxRevisionAttempts: 4, depth: 'deep' },
  max: { maxRevisionAttempts: 5, depth: 'comprehensive' },
}
