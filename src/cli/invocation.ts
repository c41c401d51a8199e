/**
 * One call of the command, with everything it needs from its process. Code in `cli/` never asks `process` directly, so
 * several calls can run in one process at the same time, each with its own streams and its own folder.
 */
import type { Readable, Writable } from 'node:stream'

export interface Invocation {
  /** The words typed after `umpire`. */
  readonly args: string[]
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  readonly stdin: Readable & { isTTY?: boolean }
  readonly stdout: OutputStream
  readonly stderr: OutputStream
  /** For a command that must stop its agents before it exits. Until a command listens, a signal ends the process. */
  listenForSignals(): Interruption
}

/** A file, a pipe or a terminal. */
export type OutputStream = Writable & { isTTY?: boolean; columns?: number; rows?: number }

export interface Interruption {
  signal: AbortSignal
  /** The exit code that belongs to the received signal; null if no signal was received. */
  code(): number | null
  /** Stops listening. */
  stop(): void
}

/** Called by an action that ends with another exit code than 0. */
export type SetExitCode = (code: number) => void
