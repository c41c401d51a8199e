/** Parses arguments and option values from the command line. The error for an invalid value says what to give. */

import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { text as readAll } from 'node:stream/consumers'
import { InvalidArgumentError } from 'commander'
import { UserError } from '../core/errors.ts'
import { codeOf } from '../lib/error-code.ts'
import type { Invocation } from './invocation.ts'

/** For repeatable options. */
export function collect(value: string, before: string[] = []): string[] {
  return [...before, value]
}

/** The only argument that may follow a title. */
export function dash(value: string): '-' {
  if (value !== '-') throw new InvalidArgumentError('Put a title of several words in quotes.')
  return value
}

export function taskId(value: string): number {
  const match = /^#?([1-9][0-9]{0,14})$/.exec(value)
  if (!match) throw new InvalidArgumentError('Give the number of a task. umpire list shows the numbers.')
  return Number(match[1])
}

export function wholeNumber(least: number, most: number): (value: string) => number {
  return (value) => {
    const number = /^[0-9]{1,16}$/.test(value) ? Number(value) : Number.NaN
    if (!(number >= least && number <= most)) {
      throw new InvalidArgumentError(`Give a whole number from ${least} to ${most}.`)
    }
    return number
  }
}

export function dollarAmount(value: string): number {
  const number = /^([0-9]{1,9})?(\.[0-9]{1,9})?$/.test(value) ? Number(value) : Number.NaN
  if (!(number > 0)) throw new InvalidArgumentError('Give an amount in dollars above 0, as in 5 or 2.50.')
  return number
}

export function taskIds(value: string, before: number[] = []): number[] {
  return [...before, taskId(value)]
}

/** For a repeatable option. */
export function issueNumbers(value: string, before: number[] = []): number[] {
  const match = /^#?([1-9][0-9]{0,8})$/.exec(value)
  if (!match)
    throw new InvalidArgumentError('Give the number of an issue. umpire show lists the issues of a task.')
  return [...before, Number(match[1])]
}

/** Parses several tasks from one value of a repeatable option: `3,5`, `#3 #5`. */
export function taskIdList(value: string, before: number[] = []): number[] {
  const words = value.split(/[\s,]+/).filter((word) => word !== '')
  if (words.length === 0) throw new InvalidArgumentError('Give the numbers of tasks, as in 3,5.')
  return [...new Set([...before, ...words.map(taskId)])]
}

/** For options whose value can be removed with the word `none`. It is a word because commander turns null into an empty text. */
export function orNone<T>(
  read: (value: string, before?: T) => T,
): (value: string, before?: T | 'none') => T | 'none' {
  return (value, before) => {
    if (before !== undefined && (before === 'none') !== (value === 'none'))
      throw new InvalidArgumentError('Give either none or values, not both.')
    return value === 'none' || before === 'none' ? 'none' : read(value, before)
  }
}

/** Reads a file that was named on the command line; `-` is standard input. */
export async function readText(path: string, { cwd, stdin }: Invocation): Promise<string> {
  if (path === '-') return readAll(stdin)
  try {
    return await readFile(resolve(cwd, path), 'utf8')
  } catch (error) {
    const why = codeOf(error) ?? error
    throw new UserError(
      `${path} can't be read (${why}).`,
      'Give a file that exists, or - for standard input.',
    )
  }
}
