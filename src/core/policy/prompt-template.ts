/**
 * A project's own prompts, `umpire/prompts/*.md`: text with `{{names}}` that Umpire replaces with its parts. Parts
 * contain text that other people or agents wrote, so names inside a part are never replaced.
 */

/** The parts that a template for the reviewer can name. */
export const reviewParts = [
  'rules',
  'checks',
  'task',
  'gates',
  'diff',
  'weakened',
  'earlier',
  'log',
  'arguments',
  'verdict',
] as const
export type ReviewPart = (typeof reviewParts)[number]

/** The parts that a template for the developer can name. */
export const developParts = ['task', 'gates', 'feedback', 'rules'] as const
export type DevelopPart = (typeof developParts)[number]

export interface Placeholder {
  name: string
  line: number
}

/** Every name between double braces, in order. Braces around anything else are plain text. */
export function placeholdersIn(text: string): Placeholder[] {
  return [...text.matchAll(placeholder)].map(({ 1: name = '', index }) => ({
    name,
    line: text.slice(0, index).split('\n').length,
  }))
}

/** The name of a missing part is replaced by nothing. */
export function fillTemplate(text: string, parts: Record<string, string | null>): string {
  return text.replace(placeholder, (_, name: string) => parts[name]?.trimEnd() ?? '')
}

const placeholder = /\{\{[ \t]*([A-Za-z][\w-]*)[ \t]*\}\}/g
