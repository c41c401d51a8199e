/**
 * A diff for a person to read. Characters that a terminal would obey or hide are spelled out, so that a mark that
 * reverses the text direction, the oldest trick in a review, is visible.
 */
import type { Paint } from '../lib/text/paint.ts'
import { spelledOut } from '../lib/text/printable.ts'

export function renderDiff(text: string, paint: Paint): string {
  let inHunk = false
  return text
    .split('\n')
    .map((line) => {
      if (line.startsWith('diff --git ')) inHunk = false
      if (line.startsWith('@@ ')) inHunk = true
      return brush(line, inHunk, paint)(spelledOut(line))
    })
    .join('\n')
}

function brush(line: string, inHunk: boolean, paint: Paint): (text: string) => string {
  if (!inHunk) return paint.bold
  if (line.startsWith('@@ ')) return paint.cyan
  if (line.startsWith('+')) return paint.green
  return line.startsWith('-') ? paint.red : (text) => text
}
