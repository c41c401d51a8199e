/**
 * Commands that are planned but not built yet. Without this list, commander would treat them as typing errors and
 * suggest another command. When you build one of them, delete its row.
 */

const commands: Record<string, string> = {
  feature: 'Add tasks with umpire add.',
  watch: 'umpire status --watch shows all tasks and updates itself.',
  web: 'umpire status --watch shows all tasks and updates itself.',
  mcp: 'Programs can use umpire add, umpire status --json and umpire events --json.',
}

/** Returns the message to print instead of commander's, or null if commander's is right. `typed` are the arguments of the call. */
export function notYet(error: string, typed: string[]): string | null {
  if (!/^error: unknown (command|option) '/.test(error)) return null
  // Only flags without values can come before the command. Commander reports the flags of an unknown command first.
  const command = typed.find((word) => !word.startsWith('-')) ?? ''
  const instead = Object.hasOwn(commands, command) ? commands[command] : undefined
  return instead ? `umpire: umpire ${command} is not yet available in this version.\n${instead}\n` : null
}
