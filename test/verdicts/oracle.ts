/**
 * A second opinion on a text, built differently from the channels: slow and simple, with whole-text replacements and
 * brute force. It is more generous than the channels, so "they approve" must imply "it finds an approval". A plain
 * refusal is one that no reader could overlook.
 */
export function holdsApproval(answer: string): boolean {
  const text = answer.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n')
  // Whether a comment contains a fence or a fence contains a comment depends on the text. Either reading counts.
  // A comment sign inside inline code does not start a comment.
  const spoken = text.replace(/`[^`\n]*`/g, '')
  const readings = [text, spoken].flatMap((words) => [
    withoutFences(withoutComments(words)),
    withoutComments(withoutFences(words)),
  ])
  return readings.some(approvesInWords) || [...readings, ...jsonFences(text)].some(approvesInJson)
}

/** Only judges texts without any character that could mark a line as quoted. */
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
