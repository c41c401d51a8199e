/** How a reviewer is asked (`review.command`). */
export interface ReviewCommand {
  /** The command as it was configured. Every review records the command that asked for it. */
  command: string
  /**
   * `own`: by Umpire's own prompt. `template`: by the project's template, where the text after the command's name replaces
   * `{{arguments}}`. `agent`: by a command of the reviewer's agent, which gets the material as its arguments.
   */
  asks: { by: 'own' } | { by: 'template'; text: string; arguments: string } | { by: 'agent' }
}

/** The built-in command. */
export const usualCommand = '/review-task'

/** `/name` and the rest of the line as its arguments, or null if the text is not a command. */
export function parseCommand(command: string): { name: string; arguments: string } | null {
  const [, name, rest = ''] = /^\/([A-Za-z0-9][\w:.-]*)(?:[ \t]+([^\r\n]*))?$/.exec(command) ?? []
  return name === undefined ? null : { name, arguments: rest.trim() }
}
