/**
 * Commands that will come and that this version does not have. Typed today they are told apart from a slip
 * of the pen, for which commander would suggest something else. Whoever builds one of these deletes its row.
 */

const commands: Record<string, string> = {
  feature: 'File tasks with umpire add.',
  watch: 'umpire status --watch shows how things stand, again and again.',
  web: 'umpire status --watch shows how things stand, again and again.',
  mcp: 'Programs can use umpire add, umpire status --json and umpire events --json.',
}

/** What to say instead of commander's words, or null when these are right. `typed` are the arguments of the call. */
export function notYet(error: string, typed: string[]): string | null {
  if (!/^error: unknown (command|option) '/.test(error)) return null
  // Before the command there are only flags without values. Of one that is unknown, its flags are reported first.
  const command = typed.find((word) => !word.startsWith('-')) ?? ''
  const instead = Object.hasOwn(commands, command) ? commands[command] : undefined
  return instead ? `umpire: umpire ${command} is not yet available in this version.\n${instead}\n` : null
}
