/**
 * PORT: an attempt is one run of a program that may outlive Umpire. It has a folder of its own and is held by a small
 * detached keeper that wins the folder by link(2), so an attempt runs once, whoever starts it.
 *
 *   start ──► (keeper links) running ──► done        a result file is there
 *                               │
 *                               └──────► dead        the keeper is gone and left no result
 *
 * Every process of an attempt carries UMPIRE_ATTEMPT=<id> in its environment, and beside it UMPIRE_ATTEMPT_MARK with a
 * random value, because another repository may have the same id. By the mark the whole tree is found, also what
 * called setsid or was reparented.
 */
export interface Attempts {
  /** Writes the folder and starts the keeper. Starting an attempt that somebody won already changes nothing. */
  start(spec: AttemptSpec): Promise<void>
  /** How it stands now, from the folder and the process table alone. `absent`: never started (no keeper has won it). */
  attach(id: string): Promise<'absent' | 'running' | 'done' | 'dead'>
  /**
   * Reads the output as it grows until the attempt has ended and everything was read. Ends the whole tree when there
   * was no output for `idleMs`, when it was quiet as `quiet` says, or when the signal aborts; but not when it aborts
   * with a LostClaimError, because then the agent is somebody else's. Works the same for an attempt that another
   * process started, and has perhaps just ended.
   */
  follow(id: string, watch: Watch, signal: AbortSignal): Promise<AttemptEnd>
  /**
   * Makes sure that an attempt that nobody has won never runs: a keeper that had not linked yet loses. `won`: one was
   * quicker, and the attempt runs or has run.
   */
  prevent(id: string): Promise<'prevented' | 'won'>
  /** Makes sure that it does not run and never will (a keeper that had not linked yet loses), and ends its whole tree. */
  kill(id: string): Promise<void>
  /** What the agent handed in, oldest first, also while no Umpire was there. */
  handedIn(id: string): Promise<HandIn[]>
  /**
   * What the tools of the session ask of whoever attends it: oldest first, as it comes, also what was asked while nobody
   * was there; what has its answer is left out. When the signal aborts, what is there is still given, and that is all.
   */
  asked(id: string, signal: AbortSignal): AsyncIterable<Asked>
  answer(id: string, number: number, text: string): Promise<void>
  /** Moves that were refused to the agent, as it was told. */
  refusals(id: string): Promise<string[]>
  /** Where the agent finds its prompt, besides on its standard input. */
  promptFile(id: string): string
  /** Where the attempt's own files are. */
  filesFolder(id: string): string
  /** One of these as it is now; null when it is gone. */
  readFile(id: string, name: string): Promise<string | null>
  /** What of the attempt's folder the agent itself writes; there from the start. */
  agentsOwn(id: string): string[]
  /** The ids of all attempts that have a folder. */
  list(): Promise<string[]>
  /** Deletes the folder of an attempt that no longer runs. */
  remove(id: string): Promise<void>
  /** The same for somebody who may lose the right to it: what the guard throws keeps it from starting, ending and removing. */
  guardedBy(guard: () => Promise<void>): Attempts
}

export interface AttemptSpec {
  id: string
  argv: [string, ...string[]]
  cwd: string
  /** The whole environment. */
  env: Record<string, string>
  stdin: string
  /** Written before the start, readable by nobody else. */
  files?: Record<string, string>
  limitMs: number
}

/** Among the files of an agent's attempt: what the tools of its session are bound to. */
export const sessionFile = 'session.json'

export interface Watch {
  idleMs: number | null
  /** For agents that may be done without exiting. */
  quiet?: Quiet | undefined
  /** Whether the agent waits for something of ours; as long as it does, its silence does not count. */
  isAwaiting?: (() => boolean) | undefined
  /** Called in order with whole lines, without their newline; `end` is the byte offset after the line in its file. Awaited, so a slow reader slows the reading. */
  onLines(source: 'stdout' | 'stderr', lines: OutputLine[]): Promise<void>
}

/** An agent that prints nothing, and under whose hands nothing changes, for this long is done. */
export interface Quiet {
  afterMs: number
  /** What it works on as it is now, to be compared with an earlier look; null when that can't be told. */
  look(): Promise<string | null>
}

export interface OutputLine {
  text: string
  end: number
  /** The line was longer than can be held; `text` is its beginning and the rest is in this file. */
  overflow?: string
}

export type AttemptEnd =
  /** `overdue`: the keeper ended it at its wall-clock limit. A code over 128 is a signal. */
  | { kind: 'exited'; code: number; overdue: boolean; endedAt: string }
  | { kind: 'idle' }
  /** It was quiet for as long as was asked, and was ended for that. */
  | { kind: 'quiet' }
  | { kind: 'aborted' }
  | { kind: 'lost' }

/** `number` is the place in the order of all that the session's tools asked. */
export interface Asked extends HandIn {
  number: number
}

export interface HandIn {
  /** As the agent's `umpire submit` wrote it; judged against the journal's hash at collection. */
  token: string
  body: string
}
