/**
 * PORT: an attempt is one run of a program that may outlive Umpire. It has its own folder. A small detached keeper
 * claims the folder by link(2) and runs the program, so an attempt runs only once, however often it is started.
 *
 *   start ──► (keeper links) running ──► done        a result file is there
 *                               │
 *                               └──────► dead        the keeper is gone and left no result
 *
 * Every process of an attempt has UMPIRE_ATTEMPT=<id> in its environment. It also has a random UMPIRE_ATTEMPT_MARK,
 * because another repository may have an attempt with the same id. The mark finds the whole process tree, including
 * processes that called setsid or were reparented.
 */
export interface Attempts {
  /** Writes the folder and starts the keeper. Changes nothing if a keeper has already won the attempt. */
  start(spec: AttemptSpec): Promise<void>
  /** The current state, from the folder and the process table alone. `absent`: never started (no keeper has won it). */
  attach(id: string): Promise<'absent' | 'running' | 'done' | 'dead'>
  /**
   * Reads the output as it grows, until the attempt has ended and everything is read. Stops the whole tree if there was
   * no output for `idleMs`, if it was quiet as `quiet` says, or if the signal aborts. It does not stop the tree if the
   * signal aborts with a LostClaimError, because then the agent belongs to another worker. It works the same for an
   * attempt that another process started, or that has just ended.
   */
  follow(id: string, watch: Watch, signal: AbortSignal): Promise<AttemptEnd>
  /**
   * Makes sure that an attempt that no keeper has won never runs: a keeper that has not linked yet loses. `won`: a
   * keeper was faster, and the attempt is running or has run.
   */
  prevent(id: string): Promise<'prevented' | 'won'>
  /** Stops the whole tree, and makes sure that it never runs again: a keeper that has not linked yet loses. */
  kill(id: string): Promise<void>
  /** What the agent submitted, oldest first, including submissions while no Umpire was running. */
  handedIn(id: string): Promise<HandIn[]>
  /**
   * The requests of the session's tools, oldest first, as they come. They include requests made while no Umpire was
   * running, but not those that have an answer. After the signal aborts, the existing requests are still delivered, and
   * no more.
   */
  asked(id: string, signal: AbortSignal): AsyncIterable<ToolAsk>
  answer(id: string, number: number, text: string): Promise<void>
  /** The refusals that the agent was given, in the words it was given. */
  refusals(id: string): Promise<string[]>
  /** The file with the prompt, which the agent also gets on standard input. */
  promptFile(id: string): string
  /** The folder of the attempt's own files. */
  filesFolder(id: string): string
  /** The current text of one of these files. Null if it is gone. */
  readFile(id: string, name: string): Promise<string | null>
  /** The parts of the attempt's folder that the agent itself writes. They exist from the start. */
  agentsOwn(id: string): string[]
  /** The ids of all attempts that have a folder. */
  list(): Promise<string[]>
  /** Deletes the folder of an attempt that is no longer running. */
  remove(id: string): Promise<void>
  /**
   * The same attempts for a caller that may lose its claim. If the guard throws, nothing is started, stopped or
   * removed.
   */
  guardedBy(guard: () => Promise<void>): Attempts
}

export interface AttemptSpec {
  id: string
  argv: [string, ...string[]]
  cwd: string
  /** The whole environment. */
  env: Record<string, string>
  stdin: string
  /** Files to write before the start. Only the user can read them. */
  files?: Record<string, string>
  limitMs: number
}

/** One of an attempt's files: the session that its tools belong to. */
export const sessionFile = 'session.json'

export interface Watch {
  idleMs: number | null
  /** For agents that may be done and still not exit. */
  quiet?: Quiet | undefined
  /** Whether the agent is waiting for Umpire. While it is, its silence does not count. */
  isAwaiting?: (() => boolean) | undefined
  /**
   * Called in order with whole lines, without their newline. `end` is the byte offset after the line in its file.
   * Awaited, so a slow reader slows the reading.
   */
  onLines(source: 'stdout' | 'stderr', lines: OutputLine[]): Promise<void>
}

/** An agent is done if it prints nothing and changes nothing for this long. */
export interface Quiet {
  afterMs: number
  /** The state of the files it works on, to compare with an earlier look. Null if it can't be determined. */
  look(): Promise<string | null>
}

export interface OutputLine {
  text: string
  end: number
  /** The line was too long to keep in memory. `text` is its beginning, and the rest is in this file. */
  overflow?: string
}

export type AttemptEnd =
  /** `overdue`: the keeper stopped it at its wall-clock limit. A code over 128 means a signal. */
  | { kind: 'exited'; code: number; overdue: boolean; endedAt: string }
  | { kind: 'idle' }
  /** It was stopped because it was quiet for the given time. */
  | { kind: 'quiet' }
  | { kind: 'aborted' }
  | { kind: 'lost' }

/** `number` is the request's position among all requests of the session's tools. */
export interface ToolAsk extends HandIn {
  number: number
}

export interface HandIn {
  /** As the agent's `umpire submit` wrote it. Checked against the hash in the journal when it is collected. */
  token: string
  body: string
}
