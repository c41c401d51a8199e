/** How a reviewer is asked (`review.command`). */
export interface ReviewCommand {
  /** As it was configured; every review says by which one it was asked for. */
  command: string
  /**
   * `own`: by our words. `template`: by the project's, in which what follows the name stands for `{{arguments}}`.
   * `agent`: by a command that the reviewer's agent knows, which gets the material as what follows it.
   */
  asks: { by: 'own' } | { by: 'template'; text: string; arguments: string } | { by: 'agent' }
}

/** The one that is built in. */
export const usualCommand = '/review-task'

/** `/name` and what follows it on the same line; null when it is no command. */
export function parseCommand(command: string): { name: string; arguments: string } | null {
  const [, name, rest = ''] = /^\/([A-Za-z0-9][\w:.-]*)(?:[ \t]+([^\r\n]*))?$/.exec(command) ?? []
  return name === undefined ? null : { name, arguments: rest.trim() }
}
