/**
 * The short form of a prompt, for a model that could not take the whole one. Long texts in it are cut, and a file next
 * to it has the whole prompt.
 */
import { headAndTail } from './untrusted.ts'

/** Name of the session file with the whole prompt. */
export const wholePromptFile = 'whole-prompt.md'

/** The short form leaves this share of the usual room for a diff. */
export const shortShare = 1 / 8

const longestText = 4_000

export function withNotice(prompt: string, file: string): string {
  return (
    'This is a short form: the whole prompt was too long for you. Each cut in a long text is marked. The whole prompt is in ' +
    `the file ${JSON.stringify(file)}. Read what you need there, a piece at a time.\n\n${prompt}`
  )
}

/** The same value with every long text in it cut in the middle. */
export function shortenTexts<T>(value: T): T {
  if (typeof value === 'string') return headAndTail(value, longestText) as T
  if (Array.isArray(value)) return value.map((each) => shortenTexts(each)) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, shortenTexts(each)])) as T
}
