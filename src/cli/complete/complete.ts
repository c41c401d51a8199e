/**
 * `umpire complete bash` prints a script for the shell to load. At each Tab, the shell calls `umpire complete -- WORDS`.
 * The answer is one candidate per line, with a tab before its description. The last line is a colon and a number that
 * tells the shell what else to do. This is the protocol of `@bomb.sh/tab`, whose scripts zsh and fish get.
 * Umpire parses the words itself and has its own script for bash, because the library never offers file names, needs
 * another package in bash, and evaluates the typed words there.
 */
import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { UserError } from '../../core/errors.ts'
import { packageFile } from '../../lib/file/package-files.ts'
import { oneLine } from '../../lib/text/printable.ts'
import type { Invocation } from '../invocation.ts'
import { print } from '../screen/print.ts'
import { readStore } from '../with-store.ts'
import { type Candidate, completions, shells } from './completions.ts'

/** How many ended tasks are offered in addition to the active ones. */
const latest = 20

/** What the shell should do with the candidates: the protocol's bit flags. */
const keepOrder = 32
const noFiles = 4

export async function printScript(shell: string | undefined, invocation: Invocation): Promise<void> {
  switch (shell) {
    case 'bash':
      return print(readFileSync(packageFile('completion.bash'), 'utf8').trimEnd(), invocation)
    case 'zsh':
    case 'fish': {
      const { script } = await import('@bomb.sh/tab')
      return script(shell, 'umpire', 'umpire')
    }
    default:
      throw new UserError(
        shell === undefined ? 'The name of the shell is missing.' : `There is no completion for ${shell}.`,
        `Give one of ${shells.join(', ')}.`,
      )
  }
}

export async function complete(program: Command, words: string[], invocation: Invocation): Promise<void> {
  const { candidates, files } = await completions(program, words, {
    tasks: () => tasks(invocation),
    agents: () => agents(invocation),
  })
  for (const { value, description } of candidates) print(`${value}\t${oneLine(description, 60)}`, invocation)
  print(`:${files && candidates.length === 0 ? keepOrder : keepOrder + noFiles}`, invocation)
}

/** Every error is swallowed: a person who presses Tab does not want to see one. */
async function tasks(invocation: Invocation): Promise<Candidate[]> {
  const found = await readStore(
    invocation,
    ({ archive }) => archive.tasks({ recent: latest }),
    () => [],
  ).catch(() => [])
  return found.map(({ id, title, status }) => ({ value: String(id), description: `${title}, ${status}` }))
}

async function agents({ cwd, env }: Invocation): Promise<Candidate[]> {
  try {
    const [{ openRepository }, { agentNames }] = await Promise.all([
      import('../../app/repository.ts'),
      import('../../app/agents/agent-names.ts'),
    ])
    const names = await agentNames(await openRepository(cwd, env))
    return names.map((value) => ({ value, description: 'an agent' }))
  } catch {
    return []
  }
}
