/**
 * The short form of a prompt, for a model to which the whole one was too long. Long texts in it are cut, and the whole
 * lies beside it as a file.
 */
import { headAndTail } from './untrusted.ts'

/** Among the files of the session: the prompt as it would have been. */
export const wholePromptFile = 'whole-prompt.md'

/** What is left of the room for a diff. */
export const shortShare = 1 / 8

const longestText = 4_000

export function withNotice(prompt: string, file: string): string {
  return (
    'This is a short form: the whole prompt was too long for you. Long texts are cut where it says so. The whole is in ' +
    `the file ${JSON.stringify(file)}; read there, a piece at a time, what you need.\n\n${prompt}`
  )
}

/** The same value with every long text in it cut in the middle. */
export function shortenTexts<T>(value: T): T {
  if (typeof value === 'string') return headAndTail(value, longestText) as T
  if (Array.isArray(value)) return value.map((each) => shortenTexts(each)) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, shortenTexts(each)])) as T
}
