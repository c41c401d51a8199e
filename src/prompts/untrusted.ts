/**
 * Fences text from an untrusted source: a diff, a gate's output, an agent's words. Nothing inside can close the fence,
 * so neither the reader of the prompt nor a reader of its echo takes the text for instructions.
 */
export function untrusted(text: string, language = ''): string {
  const longestRun = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length))
  const fence = '`'.repeat(longestRun + 1)
  return `${fence}${language}\n${text.endsWith('\n') ? text : `${text}\n`}${fence}`
}

/** Keeps the beginning and the end of a long text and says how much is missing in between. */
export function headAndTail(text: string, limit: number): string {
  if (text.length <= limit) return text
  const half = Math.floor(limit / 2)
  const missing = text.length - 2 * half
  return `${text.slice(0, half)}\n[… ${missing} characters left out …]\n${text.slice(-half)}`
}

/** Joins the parts of a prompt with empty lines and leaves out missing parts. */
export function paragraphs(...parts: (string | null | false)[]): string {
  return `${parts.filter((part): part is string => typeof part === 'string' && part !== '').join('\n\n')}\n`
}
