import { fillTemplate, placeholdersIn } from '../core/policy/prompt-template.ts'
import { paragraphs } from './untrusted.ts'

/**
 * Fills a project's template with our parts. A `needed` part without a placeholder is added at the end: the
 * configuration decides what material is shown, and without the other parts Umpire could not read the answer.
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
