/**
 * A second opinion on what a text says, made in another way than the channels are: with whole-text replacements and
 * brute force, slow and simple. It is more generous than they are, so that "they approve" must imply "it finds an
 * approval"; what it calls a plain refusal is one that nobody could overlook.
 */
export function holdsApproval(answer: string): boolean {
  const text = answer.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n')
  // Whether a comment in a fence or a fence in a comment comes first depends on the text; either reading may do.
  // A comment sign that is itself shown as code begins no comment.
  const spoken = text.replace(/`[^`\n]*`/g, '')
  const readings = [text, spoken].flatMap((words) => [
    withoutFences(withoutComments(words)),
    withoutComments(withoutFences(words)),
  ])
  return readings.some(approvesInWords) || [...readings, ...jsonFences(text)].some(approvesInJson)
}

/** Only for texts in which no sign could make a line somebody else's words. */
export function refusesPlainly(answer: string): boolean {
  const text = answer.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n')
  if (/[`~<>|{@]|^[ \t]|^[+-]/m.test(text)) return false
  const words = /^(?:\*\*)?verdict: ?(?:changes_requested|needs_discussion|rejected)(?:\*\*)?$/im
  return words.test(text) || text.split(/\n[ \t]*\n/).some((paragraph) => /^FEEDBACK: \w/.test(paragraph))
}

function approvesInWords(text: string): boolean {
  const line = text
    .split('\n')
    .some((one) => /^verdict:[ \t]*approved[ \t]*$/i.test(one.replaceAll('**', '')))
  return line || /(?:^|\n[ \t]*\n|^[ \t]*\n)APPROVED[ \t]*(?:\n[ \t]*(?:\n|$)|$)/.test(`\n\n${text}`)
}

function approvesInJson(text: string): boolean {
  const at = (brace: string) => [...text.matchAll(new RegExp(`\\${brace}`, 'g'))].map((match) => match.index)
  const ends = at('}')
  return at('{').some((start) => ends.some((end) => end > start && isApproval(text.slice(start, end + 1))))
}

function isApproval(slice: string): boolean {
  try {
    const { verdict, result, passed } = JSON.parse(slice)
    return passed === true || [verdict, result].some((word) => /^(?:approved?|pass)$/i.test(word))
  } catch {
    return false
  }
}

function withoutComments(text: string): string {
  return text.replace(/<!--[\s\S]*?(?:-->|$)/g, (comment) => (comment.endsWith('-->') ? '<!-- -->' : comment))
}

const fence = /^ {0,3}(`{3,}|~{3,})([^`\n]*)\n(?:[\s\S]*?\n)?? {0,3}\1[`~]*[ \t]*$/gm

function withoutFences(text: string): string {
  return text.replace(fence, '``` ```')
}

function jsonFences(text: string): string[] {
  return [text, withoutComments(text)]
    .flatMap((reading) => [...reading.matchAll(fence)])
    .flatMap(([block, , info = '']) => (/^json\b/i.test(info.trim()) ? [block] : []))
}
