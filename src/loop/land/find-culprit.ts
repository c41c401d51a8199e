/**
 * Which of several parts, merged one after the other, makes a gate fail: the first prefix of them on which it fails is
 * looked for by bisection. It passes on `passing` parts, and fails on `failing`; the answer is the number of the part that
 * lies between, counted from 1. What fails, passes and fails again has more than one answer; this is one of them.
 */
export async function findCulprit(
  passing: number,
  failing: number,
  passes: (parts: number) => Promise<boolean>,
): Promise<number> {
  let [good, bad] = [passing, failing]
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2)
    if (await passes(middle)) good = middle
    else bad = middle
  }
  return bad
}

export type Blame =
  | { kind: 'part'; number: number }
  /** It fails without any of them. */
  | { kind: 'none' }
  /** All of them pass when they are tried once more. */
  | { kind: 'passed' }

/**
 * The same for what failed on all parts. Nothing that fails now and then may name somebody: what is accused is tried once
 * more, and the search goes on where that passes. `from` is the first part that it can be tried on, null for the base.
 */
export async function findBlame(
  parts: number,
  from: number | null,
  passes: (parts: number) => Promise<boolean>,
): Promise<Blame> {
  let good = from === null ? 0 : from - 1
  while (good < parts) {
    const number = await findCulprit(good, parts, passes)
    if (await passes(number)) good = number
    else if (number > 1 || from !== null) return { kind: 'part', number }
    else return (await passes(0)) || (await passes(0)) ? { kind: 'part', number } : { kind: 'none' }
  }
  return { kind: 'passed' }
}
