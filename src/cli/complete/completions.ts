/**
 * The words that fit at the cursor of a command line: commands, options, their choices, task numbers, agents, or file
 * names. They come from the commander program itself, so they never get out of date.
 */
import type { Argument, Command, Option } from 'commander'

export interface Completions {
  candidates: Candidate[]
  /** A file name fits here. The shell completes it, because it knows the files. */
  files: boolean
}

export interface Candidate {
  value: string
  description: string
}

/** Candidates that must be looked up. They are looked up only when they are needed. */
export interface Lookup {
  tasks(): Promise<Candidate[]>
  agents(): Promise<Candidate[]>
}

export const shells = ['bash', 'zsh', 'fish']

/** `words` are the words typed after `umpire`. The last one, which may be empty, is being completed. */
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
