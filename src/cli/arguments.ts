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

export function dollarAmount(value: string): number {
  const number = /^([0-9]{1,9})?(\.[0-9]{1,9})?$/.test(value) ? Number(value) : Number.NaN
  if (!(number > 0)) throw new InvalidArgumentError('A number of dollars above 0 is wanted, as in 5 or 2.50.')
  return number
}

export function taskIds(value: string, before: number[] = []): number[] {
  return [...before, taskId(value)]
}

/** For an option that may be given again. */
export function issueNumbers(value: string, before: number[] = []): number[] {
  const match = /^#?([1-9][0-9]{0,8})$/.exec(value)
  if (!match) throw new InvalidArgumentError('An issue is named by its number, as umpire show tells it.')
  return [...before, Number(match[1])]
}

/** Several tasks as the value of an option that may be given again: `3,5`, `#3 #5`. */
export function taskIdList(value: string, before: number[] = []): number[] {
  const words = value.split(/[\s,]+/).filter((word) => word !== '')
  if (words.length === 0) throw new InvalidArgumentError('Name tasks by their numbers, as in 3,5.')
  return [...new Set([...before, ...words.map(taskId)])]
}

/** For options whose value can be taken away again. A word, because commander makes an empty text of null. */
export function orNone<T>(
  read: (value: string, before?: T) => T,
): (value: string, before?: T | 'none') => T | 'none' {
  return (value, before) => {
    if (before !== undefined && (before === 'none') !== (value === 'none'))
      throw new InvalidArgumentError('none stands alone.')
    return value === 'none' || before === 'none' ? 'none' : read(value, before)
  }
}
