/**
 * The merge of another branch into the task's own that comes before anything else: of one on which the work did not land
 * (`conflict`, `gate`), or of what it builds on and could not be joined (`start`).
 */
export function openMerges() {
  let why = null
  let others = []

  return {
    /** What is being merged, or null: why, and the commit. */
    current: () => (why === null ? null : { why, other: others[0] }),
    /** Where this event leaves approved work: on its way again, or not. */
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
      // What is built on a conflict can't begin without it, so that one stays.
      if (type === 'loop.abandoned' && why !== 'start') others = []
      if (others.length === 0) why = null
    },
  }
}
