/** A task for another task begins with work that the other task had made by then, and its branch begins there. */
import { workIn } from './approvals.mjs'
import { short, violation } from './violation.mjs'

export function* checkInherited(events, tasks) {
  let of = null
  for (const event of events) {
    if (event.type === 'task.added') of = event.data.task.of ?? null
    if (event.type === 'task.changed') of = event.data.changes.of ?? of
    if (event.type !== 'loop.started') continue
    const { place, inherited } = event.data
    if ((inherited?.task ?? null) !== of)
      yield violation(event, `it begins with the work of ${name(inherited?.task)}, and is for ${name(of)}`)
    // A task that builds on others begins with their work, which does not count as its own.
    const expected = inherited?.sha ?? place.root
    if (place.start !== expected)
      yield violation(event, `its branch begins at ${short(place.start)}, its work at ${short(expected)}`)
    if (!inherited) continue
    const made = worksOf(tasks.get(`task/${inherited.task}`) ?? [], event.seq)
    if (!made.some(({ sha, tree }) => sha === inherited.sha && tree === inherited.tree)) {
      const work = `${short(inherited.sha)} with tree ${short(inherited.tree)}`
      yield violation(event, `it begins with ${work}, which ${name(inherited.task)} never was at before`)
    }
  }
}

/** Every state of the other task so far: it may have changed after it was read and before this event was written. */
function worksOf(events, seq) {
  let work = null
  return events
    .filter((event) => event.seq < seq)
    .flatMap((event) => {
      work = workIn(event, work)
      return work === null ? [] : [work.data]
    })
}

function name(task) {
  return task === null || task === undefined ? 'no other' : `task ${task}`
}
