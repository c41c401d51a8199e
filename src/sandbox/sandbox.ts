/**
 * PORT: a place in which a program reads what it likes and writes only where it was told it may. It is made anew for
 * every run of a program and is gone with it.
 */
export interface Sandbox {
  /** Whether it works on this machine. Found out by trying it, once in the life of this process. */
  state(): Promise<SandboxState>
  /** Whether a sandbox of the program's own works inside it; found out in the same way. */
  nests(): Promise<boolean>
  /** The same for one without a network, which some systems that let it do all else forbid. */
  withoutNetwork(): Promise<SandboxState>
  /** Where the tools of a developer keep what they fetched for all projects together. */
  caches(env: Record<string, string>): string[]
  /** The command line that runs the program inside. What the program keeps of its own is made where it is missing. */
  enter(argv: [string, ...string[]], bounds: Bounds): Promise<[string, ...string[]]>
}

export type SandboxState =
  | { kind: 'works'; by: string }
  /** `missing`: it is not installed. `refused`: it is, and the system does not let it do what it does. */
  | { kind: 'missing' | 'refused'; why: string; fix: string }

/** All paths are absolute. What is not there is passed over. */
export interface Bounds {
  cwd: string
  /** The whole environment of the program. */
  env: Record<string, string>
  /** Files and folders that it may write. */
  writable: string[]
  /** Folders of the program's own, for its logins and sessions: writable, and made where they are missing. */
  state: string[]
  /** Among these, perhaps: files that steer it. Those that are there are read-only. */
  steering: string[]
  /** What it may not write although it lies in something that is writable. */
  kept: string[]
  /** `none`: neither a network nor the sockets of the machine's services. Left out, both are as they are outside. */
  network?: 'none'
}
