/** Arguments and option values as they are typed, made into what the commands take; a wrong one says what is wanted. */
import { InvalidArgumentError } from 'commander'

/** For options that may be given again. */
export function collect(value: string, before: string[] = []): string[] {
  return [...before, value]
}

/** The one thing that may stand after a title. */
export function dash(value: string): '-' {
  if (value !== '-') throw new InvalidArgumentError('A title of several words goes in quotes.')
  return value
}

export function taskId(value: string): number {
  const match = /^#?([1-9][0-9]{0,14})$/.exec(value)
  if (!match) throw new InvalidArgumentError('A task is named by its number, as umpire list shows it.')
  return Number(match[1])
}

export function wholeNumber(least: number, most: number): (value: string) => number {
  return (value) => {
    const number = /^[0-9]{1,16}$/.test(value) ? Number(value) : Number.NaN
    if (!(number >= least && number <= most)) {
      throw new InvalidArgumentError(`A whole number from ${least} to ${most} is wanted.`)
    }
    return number
  }
}

export function taskIds(value: string, before: number[] = []): number[] {
  return [...before, taskId(value)]
}
