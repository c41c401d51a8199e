/**
 * PORT: a sandbox in which a program can read anything and write only where it is allowed to. It is created for one run
 * of a program and gone with it.
 */
export interface Sandbox {
  /** Whether it works on this machine. Tried once per process. */
  state(): Promise<SandboxState>
  /** Whether a program's own sandbox works inside it. Also tried. */
  nests(): Promise<boolean>
  /** The same for a sandbox without a network. Some systems allow the sandbox but forbid this. */
  withoutNetwork(): Promise<SandboxState>
  /** The folders in which a developer's tools keep downloads for all projects. */
  caches(env: Record<string, string>): string[]
  /** The command line that runs the program inside. Creates the program's missing state folders. */
  enter(argv: [string, ...string[]], bounds: Bounds): Promise<[string, ...string[]]>
}

export type SandboxState =
  | { kind: 'works'; by: string }
  /** `missing`: it is not installed. `refused`: it is, but the system does not let it work. */
  | { kind: 'missing' | 'refused'; why: string; fix: string }

/** All paths are absolute. Missing ones are ignored. */
export interface Bounds {
  cwd: string
  /** The whole environment of the program. */
  env: Record<string, string>
  /** Files and folders that it may write. */
  writable: string[]
  /** The program's own folders for logins and sessions: writable, and created if missing. */
  state: string[]
  /** Files that steer the program, possibly inside its state folders. Existing ones are read-only. */
  steering: string[]
  /** Paths that are read-only although they are inside something writable. */
  kept: string[]
  /** `none`: neither a network nor the sockets of the machine's services. If left out, both are as outside. */
  network?: 'none'
}
