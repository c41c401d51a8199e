import { fillTemplate, placeholdersIn } from '../core/policy/prompt-template.ts'
import { paragraphs } from './untrusted.ts'

/**
 * A project's own words with our parts in their places. A part for which it has no place comes at the end if it is
 * `needed`: what is shown is said by the configuration, and without the rest no answer could be read.
 */
export function fromTemplate(
  text: string,
  parts: Record<string, string | null>,
  needed: readonly string[],
): string {
  const placed = new Set(placeholdersIn(text).map(({ name }) => name))
  const rest = needed.filter((name) => !placed.has(name)).map((name) => parts[name]?.trim() ?? null)
  return paragraphs(fillTemplate(text, parts).trim(), ...rest)
}
