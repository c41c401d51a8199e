import { harmlessJson } from '../../lib/text/printable.ts'
import type { Invocation } from '../invocation.ts'

/** Writes a line to standard output. Text from outside must go through `printable` before it gets here. */
export function print(text: string, { stdout }: Invocation): void {
  stdout.write(`${text}\n`)
}

export function printJson(value: unknown, invocation: Invocation): void {
  print(harmlessJson(JSON.stringify(value, null, 2)), invocation)
}

/** Writes one object per line, for programs that read the output as it arrives. */
export function printJsonLine(value: unknown, invocation: Invocation): void {
  print(harmlessJson(JSON.stringify(value)), invocation)
}
