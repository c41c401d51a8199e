/**
 * Makes foreign text harmless on a terminal: no escape sequences (colours, cursor, clipboard, titles), no control
 * characters, no marks that turn the direction of writing around, nothing that can't be seen. Newlines and tabs stay
 * where lines are wanted.
 */
const escapeSequences =
  // CSI …, OSC/DCS/APC/PM/SOS … up to their terminator or the end of the line, and two-character escapes.
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c\n]*(?:\u0007|\u001b\\|\u009c)?|\u001b[ -/]*[0-~]?/g

const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g

/**
 * Marks that turn the direction of writing around, line and paragraph separators, and all that has no width, by which
 * two texts that look the same are not: zero-width spaces and joiners, soft hyphens, fillers, tags. The one mark that
 * stays makes a picture of the sign before it.
 */
const invisibleMarks = /\p{Cf}|[\u2028\u2029]|(?!\ufe0f)\p{Default_Ignorable_Code_Point}/gu

/** Nothing but this is in most lines. */
const plain = /^[\n\t -~]*$/

export function printable(text: string): string {
  if (plain.test(text)) return text
  return text
    .replace(/\r\n/g, '\n')
    .replace(escapeSequences, '')
    .replace(controls, '')
    .replace(invisibleMarks, '')
}

/** The same on one line, cut to a width. */
export function oneLine(text: string, width = 120): string {
  const line = printable(text).replace(/\s+/g, ' ').trim()
  const characters = [...line]
  return characters.length <= width ? line : `${characters.slice(0, width - 1).join('')}…`
}

/** For whoever must see exactly what is there: what `printable` takes out is written as its code, as in `\u202e`. */
export function spelledOut(text: string): string {
  return text.replace(controls, code).replace(invisibleMarks, code)
}

/** JSON that says the same, but holds nothing that a terminal would obey or hide. */
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
