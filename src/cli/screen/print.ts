import { harmlessJson } from '../../lib/text/printable.ts'

/** Writing to standard output. Whatever came from outside goes through `printable` before it gets here. */
export function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

export function printJson(value: unknown): void {
  print(harmlessJson(JSON.stringify(value, null, 2)))
}

/** One object a line, for programs that read as it comes. */
export function printJsonLine(value: unknown): void {
  print(harmlessJson(JSON.stringify(value)))
}
