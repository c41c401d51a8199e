/** The exit codes of `umpire`. */
export const exitCodes = {
  done: 0,
  /** Something failed during this call. */
  failed: 1,
  /** Wrong usage, unknown task, invalid configuration, or a command that is not allowed here. */
  usage: 2,
  /** This call finished, but a task that it worked on needs a person. */
  personNeeded: 3,
  /** `verdict`: the review can't be read. */
  unreadable: 4,
  interrupted: 130,
  terminated: 143,
} as const
