/** Something the person can mend: shown as what is wrong and what to do, without a stack. */
export class UserError extends Error {
  override name = 'UserError'
  readonly fix: string | null
  constructor(message: string, fix: string | null = null) {
    super(message)
    this.fix = fix
  }
}

/** The same for what is nobody's wrong use: the store can't be read or written, because of the disk or of another program. */
export class StoreError extends UserError {
  override name = 'StoreError'
}

/** The same for what can't be done until a person has decided on something else, as on more money. */
export class PersonNeededError extends UserError {
  override name = 'PersonNeededError'
}

/** A role can't be played, because the configuration names no agent for it or one that is not there. */
export class NoAgentError extends UserError {
  override name = 'NoAgentError'
}

/** The stream moved on since it was loaded. The caller reloads and looks again; it never overwrites. */
export class ConflictError extends Error {
  override name = 'ConflictError'
  readonly stream: string
  constructor(stream: string, expected: number, found: number) {
    super(`${stream} is at version ${found}, not ${expected}`)
    this.stream = stream
  }
}

/** Another worker claimed the loop; what this one still wanted to write is no longer its to write. */
export class LostClaimError extends Error {
  override name = 'LostClaimError'
}

/** A version control command failed for a reason that the loop cannot mend. */
export class VcsError extends Error {
  override name = 'VcsError'
  readonly fix: string | null
  constructor(message: string, fix: string | null = null) {
    super(message)
    this.fix = fix
  }
}

/** A checkout can't be prepared as it is configured; that may be the doing of the files that are in it. */
export class SetupError extends VcsError {
  /** The command that failed, where it was one. */
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
