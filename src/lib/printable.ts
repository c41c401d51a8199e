/**
 * Makes foreign text harmless on a terminal: no escape sequences (colours, cursor, clipboard, titles), no control
 * characters, no marks that turn the direction of writing around. Newlines and tabs stay where lines are wanted.
 */
const escapeSequences =
  // CSI …, OSC/DCS/APC/PM/SOS … up to their terminator or the end of the line, and two-character escapes.
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c\n]*(?:\u0007|\u001b\\|\u009c)?|\u001b[ -/]*[0-~]?/g

const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g

/** Left-to-right and right-to-left marks, embeddings, overrides and isolates; line and paragraph separators. */
const invisibleMarks = /[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g

export function printable(text: string): string {
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
