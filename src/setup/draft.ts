/** What `umpire init` is about to write: what it found, changed by the person's answers. */
import type { Proposal } from './toolchains/propose.ts'

export interface Draft {
  /** Null: the file names no agent. */
  developer: string | null
  reviewer: string | null
  /** The agents that the user's own settings already name. */
  elsewhere: Record<'developer' | 'reviewer', string | null>
  /** Programs that are not built-in agents. */
  programs: NamedProgram[]
  gates: Proposal['gates']
  worktree: Proposal['worktree']
}

export interface NamedProgram {
  name: string
  command: [string, ...string[]]
}

/** An agent that a person named, and how to write it into the file. */
export type ChosenAgent = { kind: 'built-in'; name: string } | ({ kind: 'program' } & NamedProgram)

/** `installed` are the names of the installed built-in agents, the better known ones first. */
export function draftSetup(
  proposal: Proposal,
  installed: readonly string[],
  wished: ChosenAgent | null,
  elsewhere: Draft['elsewhere'] = { developer: null, reviewer: null },
): Draft {
  const [first = null, second = first] = installed
  const found: Draft = {
    developer: elsewhere.developer === null ? first : null,
    // A different model sees what the first one misses.
    reviewer: elsewhere.reviewer === null ? second : null,
    elsewhere,
    programs: [],
    gates: proposal.gates,
    worktree: proposal.worktree,
  }
  return wished ? cast(cast(found, 'developer', wished), 'reviewer', wished) : found
}

/** Gives a role to an agent. A program also gets its definition. */
export function cast(draft: Draft, role: 'developer' | 'reviewer', agent: ChosenAgent | null): Draft {
  const next = { ...draft, [role]: agent?.name ?? null }
  if (agent?.kind !== 'program' || draft.programs.some(({ name }) => name === agent.name)) return next
  const { name, command } = agent
  return { ...next, programs: [...draft.programs, { name, command }] }
}

/** The answers of a person. An empty command means that there is none. */
export interface Answers {
  developer: ChosenAgent | null
  reviewer: ChosenAgent | null
  test: string
  lint: string
  setup: string
}

/** The default answers to the questions. */
export function offered({ gates, worktree }: Draft): Pick<Answers, 'test' | 'lint' | 'setup'> {
  const command = (name: string) => gates.find((gate) => gate.name === name)?.command ?? ''
  return { test: command('test'), lint: command('lint'), setup: worktree.setup.join(' && ') }
}

export function applyAnswers(draft: Draft, answers: Answers): Draft {
  const before = offered(draft)
  const asked = (name: string) => (name === 'test' || name === 'lint' ? answers[name].trim() : null)
  const isNew = (name: string) => !draft.gates.some((gate) => gate.name === name)
  const gates = [
    ...(isNew('test') ? [{ name: 'test', command: '' }] : []),
    ...draft.gates,
    ...(isNew('lint') ? [{ name: 'lint', command: '' }] : []),
  ].map(({ name, command }) => ({ name, command: asked(name) ?? command }))
  const setup = answers.setup.trim()
  const unchanged = setup === before.setup
  const next: Draft = {
    ...draft,
    programs: [],
    gates: gates.filter(({ command }) => command !== ''),
    worktree: {
      ...draft.worktree,
      setup: unchanged ? draft.worktree.setup : setup === '' ? [] : [setup],
    },
  }
  return cast(cast(next, 'developer', answers.developer), 'reviewer', answers.reviewer)
}
