/**
 * Commands and flags that will come and that this version does not have. Typed today they are told apart from a slip
 * of the pen, for which commander would suggest something else. Whoever builds one of these deletes its row.
 */

const commands: Record<string, string> = {
  waive: 'To pass the work as it is: umpire edit ID --verdict APPROVED',
  import: 'File tasks with umpire add.',
  export: 'umpire list --json prints the tasks.',
  feature: 'File tasks with umpire add.',
  watch: 'umpire status --watch shows how things stand, again and again.',
  web: 'umpire status --watch shows how things stand, again and again.',
  mcp: 'Programs can use umpire add, umpire status --json and umpire events --json.',
}

const inOrder = 'Name the tasks that shall run now: umpire work IDS…'

const flags: Record<string, Record<string, string>> = {
  add: { '--after': inOrder, '--group': inOrder },
  edit: { '--after': inOrder, '--group': inOrder },
  work: { '--budget': 'limits and max_cycles in umpire.yaml, or --effort low, keep the work short.' },
}

/** What to say instead of commander's words, or null when these are right. `typed` are the arguments of the call. */
export function notYet(error: string, typed: string[]): string | null {
  const [, kind, given = ''] = /^error: unknown (command|option) '([^'=]*)/.exec(error) ?? []
  if (kind === undefined) return null
  // Before the command there are only flags without values. Of one that is unknown, its flags are reported first.
  const command = typed.find((word) => !word.startsWith('-')) ?? ''
  const byCommand = own(commands, command)
  if (byCommand) return words(`umpire ${command}`, byCommand)
  const byFlag = own(own(flags, command) ?? {}, given)
  return byFlag ? words(`umpire ${command} ${given}`, byFlag) : null
}

function words(what: string, instead: string): string {
  return `umpire: ${what} is not yet available in this version.\n${instead}\n`
}

function own<T>(table: Record<string, T>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined
}
