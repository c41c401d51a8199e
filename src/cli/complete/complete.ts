/**
 * `umpire complete bash` prints a script for the shell to load. At each Tab, the shell calls `umpire complete -- WORDS`.
 * The answer is one candidate per line, with a tab before its description. The last line is a colon and a number that
 * tells the shell what else to do. This is the protocol of `@bomb.sh/tab`, whose scripts zsh and fish get.
 * Umpire parses the words itself and has its own script for bash, because the library never offers file names, needs
 * another package in bash, and evaluates the typed words there.
 */
import { readFileSync } from 'node:fs'
import type { Argument, Command, Option } from 'commander'
import { UserError } from '../../core/errors.ts'
import { packageFile } from '../../lib/file/package-files.ts'
import { oneLine } from '../../lib/text/printable.ts'
import type { Invocation } from '../invocation.ts'
import { print } from '../screen/output.ts'
import { readStore } from '../with-store.ts'

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
      import('../../app/read-config.ts'),
    ])
    const names = await agentNames(await openRepository(cwd, env))
    return names.map((value) => ({ value, description: 'an agent' }))
  } catch {
    return []
  }
}

interface Completions {
  candidates: Candidate[]
  /** A file name fits here. The shell completes it, because it knows the files. */
  files: boolean
}

export interface Candidate {
  value: string
  description: string
}

/** Candidates that must be looked up. They are looked up only when they are needed. */
interface Lookup {
  tasks(): Promise<Candidate[]>
  agents(): Promise<Candidate[]>
}

const shells = ['bash', 'zsh', 'fish']

/**
 * The words that fit at the cursor of a command line: commands, options, their choices, task numbers, agents, or file
 * names. They come from the commander program itself, so they never get out of date. `words` are the words typed after
 * `umpire`. The last one, which may be empty, is being completed.
 */
export async function completions(program: Command, words: string[], lookup: Lookup): Promise<Completions> {
  const current = words.at(-1) ?? ''
  const { command, expected, positionals, optionsOver } = read(program, words.slice(0, -1))
  const inline = optionsOver ? null : /^(--[^=]+)=(.*)$/s.exec(current)
  // For `--option=value`, the shells expect only the part after the equals sign.
  if (inline) return matching(inline[2] ?? '', await valuesOf(findOption(command, inline[1] ?? ''), lookup))
  if (expected && (expected.required || !current.startsWith('-'))) {
    return matching(current, await valuesOf(expected, lookup))
  }
  if (current.startsWith('-') && current !== '-' && !optionsOver) {
    return matching(current, { candidates: optionsOf(command), files: false })
  }
  const commands = positionals === 0 ? commandsOf(command) : []
  const argument = command.registeredArguments[positionals] ?? variadicEnd(command)
  const found = await valuesOf(argument, lookup)
  return matching(current, { candidates: [...commands, ...found.candidates], files: found.files })
}

/** Parses the words: which command, how many arguments it has so far, and which option still needs its value. */
function read(program: Command, words: string[]) {
  let command = program
  let expected: Option | undefined
  let positionals = 0
  let optionsOver = false
  for (const word of words) {
    if (expected && (expected.required || !word.startsWith('-'))) {
      expected = undefined
      continue
    }
    expected = undefined
    if (optionsOver || !word.startsWith('-') || word === '-') {
      const next = positionals === 0 ? command.commands.find((each) => each.name() === word) : undefined
      if (next) command = next
      else positionals += 1
    } else if (word === '--') {
      optionsOver = true
    } else {
      const option = findOption(command, word)
      if (option && (option.required || option.optional)) expected = option
    }
  }
  return { command, expected, positionals, optionsOver }
}

function findOption(command: Command, name: string): Option | undefined {
  const here = command.options.find(({ short, long }) => name === short || name === long)
  return here ?? (command.parent ? findOption(command.parent, name) : undefined)
}

function optionsOf(command: Command): Candidate[] {
  const help = command.createHelp()
  return [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)].flatMap(
    ({ long, description }) => (long ? [{ value: long, description }] : []),
  )
}

function commandsOf(command: Command): Candidate[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .map((each) => ({ value: each.name(), description: each.description() }))
}

function variadicEnd(command: Command): Argument | undefined {
  const last = command.registeredArguments.at(-1)
  return last?.variadic ? last : undefined
}

/** Chooses the candidates by the name of the argument or of the option's value: `<id>`, `[file]`. */
async function valuesOf(slot: Option | Argument | undefined, lookup: Lookup): Promise<Completions> {
  const name = slot === undefined ? '' : 'flags' in slot ? valueName(slot) : slot.name()
  const choices = name === 'shell' ? shells : slot?.argChoices
  if (choices) return { candidates: choices.map((value) => ({ value, description: '' })), files: false }
  if (/^ids?$/.test(name)) return { candidates: await lookup.tasks(), files: false }
  if (name === 'agent') return { candidates: await lookup.agents(), files: false }
  return { candidates: [], files: /^(file|path|dir)s?$/.test(name) }
}

function valueName({ flags, long }: Option): string {
  if (long === '--agent' || long === '--reviewer') return 'agent'
  return /[<[]([^>\].]+)/.exec(flags)?.[1] ?? ''
}

/** A value that needs quoting is not offered, because not every shell would quote it. */
function matching(typed: string, { candidates, files }: Completions): Completions {
  const offered = candidates.filter(({ value }) => value.startsWith(typed) && /^[\w.@%+:,/-]+$/.test(value))
  return { candidates: offered, files }
}
