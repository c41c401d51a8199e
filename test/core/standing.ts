/** What a history says about the work: an oracle that does not use `evolve`. */
import type { StoredEvent } from '../../src/core/event.ts'

/** The tree of the branch. */
export function headIn(events: StoredEvent[]): string | null {
  return (
    events
      .flatMap((event) => {
        if (event.type === 'loop.committed') return [event.data.tree]
        return event.type === 'loop.started' && event.data.inherited ? [event.data.inherited.tree] : []
      })
      .at(-1) ?? null
  )
}

/** Why the work counts as done at this point, from the events alone. */
export function standingIn(
  events: StoredEvent[],
): { by: 'approval' | 'end'; tree: string | null; merged: boolean } | null {
  let standing: ReturnType<typeof standingIn> = null
  for (const event of events) {
    const { type, data } = event
    if (type === 'loop.approved') standing = { by: 'approval', tree: data.tree, merged: false }
    if (type === 'loop.completed') standing = { by: 'end', tree: data.tree, merged: false }
    if (type === 'loop.committed' && data.tree !== standing?.tree) standing = null
    if (type === 'loop.feedback' || type === 'review.completed') standing = null
    if (type !== 'person.decided') continue
    if (data.move === 'verdict') standing = null
    if (data.move === 'merge' && standing) standing = { ...standing, merged: true }
  }
  return standing
}
