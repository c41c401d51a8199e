/** Messages about merging a task's work with the base branch or with other tasks' work. */
import type { EventData } from '../core/event.ts'
import type { LandOutcome } from '../core/place.ts'

export function resolvingMessage({ why, other }: EventData['loop.resolving']): string {
  const { branch, files } = other
  const named = files.length === 0 ? '' : ` in ${files.join(', ')}`
  const what = why === 'conflict' ? `Conflicts with ${branch}${named}` : `Fails when merged with ${branch}`
  return `${what}. Merging that branch into the work first.`
}

export function describeMerging({ outcome, files }: EventData['loop.merging']): string {
  switch (outcome) {
    case 'conflict':
      return `Resolving the conflicts in ${files.join(', ')}…`
    case 'clean':
      return 'Merging…'
    case 'contained':
      return 'Nothing to merge'
  }
}

export function landMessage(outcome: LandOutcome): string {
  switch (outcome.kind) {
    case 'landed':
      return 'The base branch contains it now'
    case 'conflict':
      return `${outcome.between.join(' and ')} conflict`
    case 'refused':
      return 'A hook refused the merge'
    case 'gate':
      return `Gate ${outcome.gates.map((gate) => gate.name).join(', ')} failed on the merged tree`
    case 'carries': {
      const tasks = outcome.works.map(({ task }) => task).join(', ')
      return `Merging it would also merge unapproved work: task ${tasks}`
    }
    case 'waits':
      return outcome.behind
        ? `It waits until the work on ${outcome.branch} has landed`
        : `The merged result waits on ${outcome.branch}`
  }
}
