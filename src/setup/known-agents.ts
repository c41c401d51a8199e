/** The agent programs that people have, and how each is called as a plain program that takes its prompt on standard input. */
export interface KnownAgent {
  /** The name in `roles`, and of the program. */
  name: string
  title: string
  /** For a version that can't drive it by name: as a program like any other. */
  command: [string, ...string[]]
}

export const knownAgents: readonly KnownAgent[] = [
  { name: 'claude', title: 'Claude Code', command: ['claude', '-p', '--permission-mode', 'acceptEdits'] },
  { name: 'codex', title: 'Codex', command: ['codex', 'exec', '--sandbox', 'workspace-write', '-'] },
  { name: 'gemini', title: 'Gemini CLI', command: ['gemini', '--approval-mode', 'auto_edit'] },
  { name: 'opencode', title: 'opencode', command: ['opencode', 'run'] },
]
