/** The questions of `umpire init`. The default answer to each question is what `init` found. */
import type { Readable, Writable } from 'node:stream'
import { intro, log, select, text } from '@clack/prompts'
import { UserError } from '../../core/errors.ts'
import { oneLine, printable } from '../../lib/text/printable.ts'
import { type Answers, type ChosenAgent, offered } from '../../setup/draft.ts'
import type { FoundSetup } from '../../setup/set-up.ts'

/** The terminal on which `init` asks. */
export interface SetupTerminal {
  input: Readable
  output: Writable
}

/** `choose` finds an agent by the name that a person typed. It throws a UserError if there is no such agent. */
export async function askSetup(
  found: FoundSetup,
  choose: (name: string) => ChosenAgent,
  terminal: SetupTerminal,
): Promise<Answers | 'cancelled'> {
  // If the terminal closes in the middle, the questions end.
  const closed = new AbortController()
  const onEnd = () => closed.abort()
  terminal.input.once('end', onEnd).once('close', onEnd)
  const ask = questions(found, choose, { ...terminal, signal: closed.signal })
  try {
    intro('Set up Umpire for this repository', terminal)
    log.info(`Found: ${oneLine(found.found.join(', ')) || 'no known language'}.`, terminal)
    for (const warning of found.warnings) log.warn(printable(warning), terminal)

    const { draft } = found
    const before = offered(draft)
    const developer = await ask.agent('Which agent does the work?', 'developer', null)
    const reviewer = await ask.agent('Which agent reviews the work?', 'reviewer', developer)
    return {
      developer,
      reviewer,
      test: await ask.command('Which command runs the tests?', before.test),
      lint: await ask.command('Which command runs the linter?', before.lint),
      setup: await ask.command('Which command prepares a fresh checkout?', before.setup),
    }
  } catch (error) {
    if (error === cancelled) return 'cancelled'
    throw error
  } finally {
    terminal.input.off('end', onEnd).off('close', onEnd)
  }
}

/** Thrown when Ctrl-C is pressed at any question. */
const cancelled = Symbol('cancelled')

const another = ' another'
const later = ' later'

function questions(
  { draft, drivable }: FoundSetup,
  choose: (name: string) => ChosenAgent,
  at: SetupTerminal & { signal: AbortSignal },
) {
  async function program(): Promise<ChosenAgent> {
    const name = await text({
      ...at,
      message: 'Which program? Give a program on the PATH, or a file in the repository.',
      validate: (value) => faultOf(() => choose((value ?? '').trim())),
    })
    return choose(given(name).trim())
  }

  return {
    /** `chosen` is the agent that was just chosen for the other role. */
    async agent(message: string, role: 'developer' | 'reviewer', chosen: ChosenAgent | null) {
      const programs = [...draft.programs, ...(chosen?.kind === 'program' ? [chosen] : [])]
      const agents: ChosenAgent[] = [
        ...drivable.map((name) => ({ kind: 'built-in' as const, name })),
        ...programs.map(({ name, command }) => ({ kind: 'program' as const, name, command })),
      ]
      const names = [...new Set(agents.map(({ name }) => name))]
      const own = draft.elsewhere[role]
      const answer = await select({
        ...at,
        message,
        options: [
          ...names.map((name) => ({ value: name, label: oneLine(name) })),
          { value: another, label: 'another program' },
          { value: later, label: own === null ? 'decide later' : `${oneLine(own)}, from your own settings` },
        ],
        initialValue: names.find((name) => name === draft[role]) ?? ((own === null && chosen?.name) || later),
      })
      const name = given(answer)
      if (name === another) return await program()
      return agents.find((agent) => agent.name === name) ?? null
    },
    async command(message: string, initialValue: string): Promise<string> {
      const hint = { placeholder: 'none', initialValue, defaultValue: '' }
      return given(await text({ ...at, message, ...hint, validate: (value) => commandFault(value ?? '') }))
    },
  }
}

/** The prompts return a symbol after Ctrl-C, or when the terminal has closed. */
function given(answer: string | symbol): string {
  if (typeof answer === 'symbol') throw cancelled
  return answer
}

/** Returns the message of an error that the person can fix. */
function faultOf(attempt: () => unknown): string | undefined {
  try {
    attempt()
    return undefined
  } catch (error) {
    if (error instanceof UserError) return printable([error.message, error.fix ?? ''].join(' ').trim())
    throw error
  }
}

function commandFault(command: string): string | undefined {
  return /\p{Cc}/u.test(command) ? 'A command is one line without control characters.' : undefined
}
