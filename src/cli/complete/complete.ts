/**
 * `umpire complete bash` prints what a shell has to load; the shell then calls `umpire complete -- WORDS` at each Tab
 * and gets a candidate a line, with a tab before its description, and last a colon with what else the shell should do
 * (the protocol of `@bomb.sh/tab`, whose scripts zsh and fish get). The words are read here and bash has a script of
 * our own, because the library's never offers file names, needs another package in bash, and there evaluates what was
 * typed.
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

/** How many ended tasks are offered beside the others. */
const latest = 20

/** What a shell is to do with the candidates, as the protocol numbers it: bits of a number. */
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
        `There is one for ${shells.join(', ')}.`,
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

/** Whatever is wrong here, a person who pressed Tab wants no error. */
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
