/** The answer of a phase's rules: a step, or another phase whose rules apply. */
import type { Head, Loop, Phase, Work } from '../loop.ts'
import type { Place } from '../place.ts'
import type { Terms } from '../policy/terms.ts'
import type { Step } from '../step.ts'

export type Ruling = Step | { go: Phase }

/** A loop that has a branch and a worktree. */
export type Placed = Loop & { work: Work & { place: Place } }

/** A loop whose work has a commit. Gates, reviews and landings only deal with such loops. */
export type Committed = Placed & { work: { head: Head } }

export type Rule = (loop: Placed, terms: Terms) => Ruling

export function isPlaced(loop: Loop): loop is Placed {
  return loop.work.place !== null
}

/** A rule for work that has a commit. As long as there is none, it is the developer's turn. */
export function onceCommitted(rule: (loop: Committed, terms: Terms) => Ruling): Rule {
  return (loop, terms) => (isCommitted(loop) ? rule(loop, terms) : { go: 'develop' })
}

function isCommitted(loop: Placed): loop is Committed {
  return loop.work.head !== null
}
