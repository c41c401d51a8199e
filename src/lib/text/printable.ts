/**
 * Makes untrusted text harmless on a terminal: no escape sequences (colours, cursor, clipboard, titles), no control
 * characters, no marks that reverse the writing direction, nothing invisible. Newlines and tabs stay if lines are
 * wanted.
 */
const escapeSequences =
  // CSI …, OSC/DCS/APC/PM/SOS … up to their terminator or the end of the line, and two-character escapes.
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c\n]*(?:\u0007|\u001b\\|\u009c)?|\u001b[ -/]*[0-~]?/g

const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g

/**
 * Marks that reverse the writing direction, line and paragraph separators, and everything without width, which makes
 * different texts look the same: zero-width spaces and joiners, soft hyphens, fillers, tags. The one mark that stays
 * turns the character before it into a picture.
 */
const invisibleMarks = /\p{Cf}|[\u2028\u2029]|(?!\ufe0f)\p{Default_Ignorable_Code_Point}/gu

/** Most lines contain nothing else. */
const plain = /^[\n\t -~]*$/

export function printable(text: string): string {
  if (plain.test(text)) return text
  return text
    .replace(/\r\n/g, '\n')
    .replace(escapeSequences, '')
    .replace(controls, '')
    .replace(invisibleMarks, '')
}

/** The same as one line, cut to a width. */
export function oneLine(text: string, width = 120): string {
  const line = printable(text).replace(/\s+/g, ' ').trim()
  const characters = [...line]
  return characters.length <= width ? line : `${characters.slice(0, width - 1).join('')}…`
}

/** Shows exactly what is there: what `printable` removes is written as its code, as in `\u202e`. */
export function spelledOut(text: string): string {
  return text.replace(controls, code).replace(invisibleMarks, code)
}

/** Equivalent JSON without anything that a terminal would obey or hide. */
export function harmlessJson(json: string): string {
  return json.replace(/[\u007f-\u009f]/g, code).replace(invisibleMarks, code)
}

/** In UTF-16 units, as JSON and JavaScript write them. */
function code(character: string): string {
  return Array.from(
    { length: character.length },
    (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('')
}
