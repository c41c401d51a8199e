/**
 * Finds which of several parts, merged one after the other, makes a gate fail. Bisection searches the first prefix on
 * which it fails. The gate passes on `passing` parts and fails on `failing`. The answer is the number of the part in
 * between, counted from 1. A gate that fails, passes and fails again has more than one answer; this returns one of them.
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

type Blame =
  | { kind: 'part'; number: number }
  /** It fails on the base, without any part. */
  | { kind: 'none' }
  /** All parts together pass when they are tried again. */
  | { kind: 'passed' }

/**
 * The same for a gate that failed on all parts. A flaky gate must not blame a part: the accused part is tried again, and
 * the search continues if it passes. `from` is the first part on which the gate can be tried; null for the base.
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
