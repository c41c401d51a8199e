import { harmlessJson } from '../../lib/text/printable.ts'
import type { Invocation } from '../invocation.ts'

/** Writing to standard output. Whatever came from outside goes through `printable` before it gets here. */
export function print(text: string, { stdout }: Invocation): void {
  stdout.write(`${text}\n`)
}

export function printJson(value: unknown, invocation: Invocation): void {
  print(harmlessJson(JSON.stringify(value, null, 2)), invocation)
}

/** One object a line, for programs that read as it comes. */
export function printJsonLine(value: unknown, invocation: Invocation): void {
  print(harmlessJson(JSON.stringify(value)), invocation)
}
