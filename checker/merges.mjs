/**
 * A merge of another branch into the task's own, which has to be done before anything else. Either the work did not
 * land on that branch (`conflict`, `gate`), or the task builds on several branches that conflict (`start`).
 */
export function openMerges() {
  let why = null
  let others = []

  return {
    /** What is being merged, or null: why, and the commit. */
    current: () => (why === null ? null : { why, other: others[0] }),
    /** Whether approved work lands again after this event, or the loop goes on. */
    after({ type, data }) {
      const back = type === 'loop.abandoned' || data.outcome === 'contained'
      return why === 'conflict' && back ? 'lands' : 'goes on'
    },
    apply({ type, data }) {
      if (type === 'loop.started' && data.unmerged?.length > 0) {
        why = 'start'
        others = data.unmerged
      }
      if (type === 'loop.resolving') {
        why = data.why
        others = [data.other]
      }
      const over = type === 'loop.committed' || (type === 'loop.merging' && data.outcome === 'contained')
      if (why !== null && over) others = others.slice(1)
      // A task that builds on conflicting branches can't begin without their merge, so that merge is kept.
      if (type === 'loop.abandoned' && why !== 'start') others = []
      if (others.length === 0) why = null
    },
  }
}
