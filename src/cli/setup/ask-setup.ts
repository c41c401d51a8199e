/** The questions of `umpire init`. What was found is the answer to each unless the person changes it. */
import type { Readable, Writable } from 'node:stream'
import { intro, log, select, text } from '@clack/prompts'
import { UserError } from '../../core/errors.ts'
import { oneLine, printable } from '../../lib/text/printable.ts'
import { type Answers, type ChosenAgent, offered } from '../../setup/draft.ts'
import type { FoundSetup } from '../../setup/set-up.ts'

/** Where it is asked. */
export interface SetupTerminal {
  input: Readable
  output: Writable
}

/** `choose` finds an agent by what a person calls it; UserError when there is none. */
export async function askSetup(
  found: FoundSetup,
  choose: (name: string) => ChosenAgent,
  terminal: SetupTerminal,
): Promise<Answers | 'cancelled'> {
  // A terminal that is closed in the middle asks for nothing more.
  const closed = new AbortController()
  const onEnd = () => closed.abort()
  terminal.input.once('end', onEnd).once('close', onEnd)
  const ask = questions(found, choose, { ...terminal, signal: closed.signal })
  try {
    intro('What Umpire should know about this repository', terminal)
    log.info(`Found: ${oneLine(found.found.join(', ')) || 'no language that it knows'}.`, terminal)
    for (const warning of found.warnings) log.warn(printable(warning), terminal)

    const { draft } = found
    const before = offered(draft)
    const developer = await ask.agent('Who does the work?', 'developer', null)
    const reviewer = await ask.agent('Who reviews it?', 'reviewer', developer)
    return {
      developer,
      reviewer,
      test: await ask.command('Which command tests it?', before.test),
      lint: await ask.command('Which command checks its style?', before.lint),
      setup: await ask.command('What does a fresh checkout need first?', before.setup),
    }
  } catch (error) {
    if (error === cancelled) return 'cancelled'
    throw error
  } finally {
    terminal.input.off('end', onEnd).off('close', onEnd)
  }
}

/** Thrown out of the questions by Ctrl-C, whichever it is at. */
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
      message: 'Which program? One on the PATH, or a file of the repository.',
      validate: (value) => faultOf(() => choose((value ?? '').trim())),
    })
    return choose(given(name).trim())
  }

  return {
    /** `chosen` is who was just named for the other role. */
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
          { value: later, label: own === null ? 'decide later' : `${oneLine(own)}, by your own settings` },
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

/** A symbol stands for Ctrl-C, or for a terminal that is gone. */
function given(answer: string | symbol): string {
  if (typeof answer === 'symbol') throw cancelled
  return answer
}

/** The words of an error that a person can mend. */
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
