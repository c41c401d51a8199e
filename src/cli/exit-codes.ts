/** What the exit code of `umpire` says. */
export const exitCodes = {
  done: 0,
  /** Something failed in this call. */
  failed: 1,
  /** Wrong use, unknown id, invalid configuration, not allowed here. */
  usage: 2,
  /** Finished, but a person is needed for a task that this call worked on. */
  personNeeded: 3,
  /** `verdict`: the review can't be read. */
  unreadable: 4,
  interrupted: 130,
  terminated: 143,
} as const
