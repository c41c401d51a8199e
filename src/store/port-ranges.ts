/**
 * PORT: which network ports belong to which loop. No two loops of a repository have one in common, whichever process works
 * on them. A range is worth as much as its owner: when that process is gone, it is free again, unless an agent still runs
 * with it that was told its numbers; that one's loop gets the same again.
 */
export interface PortRanges {
  /**
   * The loop's own range if it has one of that size; else the first of `candidates`, by their first ports, that nobody
   * has. Null when there is none.
   */
  take(task: number, count: number, candidates: number[]): Promise<PortRange | null>
  /** Gives it back, unless somebody else has taken up the loop with it. */
  release(range: PortRange): Promise<void>
}

export interface PortRange {
  id: number
  first: number
  count: number
  /** Whether it was the loop's before, so that what listens there is the loop's own. */
  kept: boolean
}
