/** The width of text on a terminal, and the part of it that fits. Colours (`ESC [ … m`) have no width. */

const colours = /\u001b\[[\d;]*m/g

/** Two columns wide: East Asian letters and pictures. */
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u

/** Drawn onto the previous character. */
const combining = /\p{Mn}|\p{Me}|\p{Cf}/u

/** Created on first use, because creating it takes longer than most commands. */
let segmenter: Intl.Segmenter | null = null

function segmentsOf(text: string): string[] {
  segmenter ??= new Intl.Segmenter()
  return Array.from(segmenter.segment(text), ({ segment }) => segment)
}

export function widthOf(text: string): number {
  const shown = text.replace(colours, '')
  // Most texts are plain ASCII.
  if (/^[ -~]*$/.test(shown)) return shown.length
  let width = 0
  for (const segment of segmentsOf(shown)) width += widthOfOne(segment)
  return width
}

/** Cuts the text to this many columns, with an ellipsis if something is missing. Open colours are closed. */
export function clip(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text
  let left = Math.max(columns - 1, 0)
  let clipped = ''
  let coloured = false
  for (const part of text.split(/(\u001b\[[\d;]*m)/)) {
    if (part.startsWith('\u001b')) {
      clipped += part
      coloured = true
      continue
    }
    for (const segment of segmentsOf(part)) {
      left -= widthOfOne(segment)
      if (left < 0) return `${clipped}${columns > 0 ? '…' : ''}${coloured ? '\u001b[0m' : ''}`
      clipped += segment
    }
  }
  return clipped
}

/**
 * Wraps the text between words onto at most `most` lines, and cuts off the rest. A word too long for a line is cut too.
 */
export function wrap(text: string, columns: number, most: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`
    // The last line takes all that is left. It is cut below.
    if (line === '' || lines.length === most - 1 || widthOf(longer) <= columns) line = longer
    else {
      lines.push(line)
      line = word
    }
  }
  return [...lines, line].map((each) => clip(each, columns))
}

/** The width of one visible character, which may consist of several code points. */
function widthOfOne(segment: string): number {
  if (combining.test(segment) && [...segment].every((each) => combining.test(each))) return 0
  // A character that becomes a picture only through the variation selector after it.
  return wide.test(segment) || segment.includes('\ufe0f') ? 2 : 1
}
