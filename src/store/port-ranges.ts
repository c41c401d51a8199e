/**
 * PORT: which network ports belong to which loop. Two loops of a repository never share a port, whichever process works
 * on them. A range is only as good as its owner: when that process is gone, the range is free again. The exception is a
 * range whose agent is still running, because the agent was told the numbers. Its loop gets the same range again.
 */
export interface PortRanges {
  /**
   * The loop's own range if it has one of that size. Otherwise the first free one of `candidates`, which are first
   * ports. Null if all are taken.
   */
  take(task: number, count: number, candidates: number[]): Promise<PortRange | null>
  /** Returns the range, unless another worker has taken over the loop with it. */
  release(range: PortRange): Promise<void>
}

export interface PortRange {
  id: number
  first: number
  count: number
  /** Whether the loop had this range before. Then a program that listens there is the loop's own. */
  kept: boolean
}
