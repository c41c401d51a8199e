/** An error that the person can fix. It is shown as what is wrong and what to do, without a stack trace. */
export class UserError extends Error {
  override name = 'UserError'
  readonly fix: string | null
  constructor(message: string, fix: string | null = null) {
    super(message)
    this.fix = fix
  }
}

export function noTask(id: number, fix = 'umpire list shows the tasks.'): UserError {
  return new UserError(`There is no task ${id}.`, fix)
}

/** The store can't be read or written because of the disk or another program, not because of wrong use. */
export class StoreError extends UserError {
  override name = 'StoreError'
}

/** Something can't be done until a person decides something else, for example on a larger budget. */
export class PersonNeededError extends UserError {
  override name = 'PersonNeededError'
}

/** A role has no usable agent: the configuration names none, or one that is not installed. */
export class NoAgentError extends UserError {
  override name = 'NoAgentError'
}

/** The stream has grown since it was loaded. The caller reloads and decides again; it never overwrites. */
export class ConflictError extends Error {
  override name = 'ConflictError'
  readonly stream: string
  constructor(stream: string, expected: number, found: number) {
    super(`${stream} is at version ${found}, not ${expected}`)
    this.stream = stream
  }
}

/** Another worker claimed the loop, so this one must not write to it any more. */
export class LostClaimError extends Error {
  override name = 'LostClaimError'
}

/** A version control command failed for a reason that the loop cannot fix. */
export class VcsError extends Error {
  override name = 'VcsError'
  readonly fix: string | null
  constructor(message: string, fix: string | null = null) {
    super(message)
    this.fix = fix
  }
}

/** A checkout can't be prepared as configured. The cause may be the files in it. */
export class SetupError extends VcsError {
  /** The command that failed, if a command failed. */
  readonly ran: FailedCommand | null
  constructor(message: string, fix: string, ran: FailedCommand | null = null) {
    super(message, fix)
    this.ran = ran
  }
}

interface FailedCommand {
  command: string
  exitCode: number | null
  timedOut: boolean
  output: string
}
