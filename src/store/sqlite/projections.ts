/**
 * Keeps the tables that screens read up to date with the journal. Only `core/` knows what an event means: here `evolve`
 * folds the loop, `summarise` makes its summary, and the rest copies fields of events into rows.
 */
import type { StoredEvent, Stream } from '../../core/event.ts'
import { evolve, foldLoop } from '../../core/evolve.ts'
import type { Loop } from '../../core/loop.ts'
import type { Database } from './database.ts'
import { eventsTable } from './events-table.ts'
import { gatesTable } from './gates-table.ts'
import { loopsTable } from './loops-table.ts'
import { reviewsTable } from './reviews-table.ts'
import { runsTable } from './runs-table.ts'
import { sessionsTable } from './sessions-table.ts'

export function projections(database: Database) {
  const events = eventsTable(database)
  const loops = loopsTable(database)
  const runs = runsTable(database)
  const sessions = sessionsTable(database)
  const reviews = reviewsTable(database)
  const gates = gatesTable(database)

  function fold(before: Loop | null, event: StoredEvent): Loop {
    const after = evolve(before, event)
    sessions.project(event, before, after)
    reviews.project(event, after)
    gates.project(after.id, event)
    return after
  }

  /** The stored state is only a shortcut: if it does not fit the journal, the journal is folded. */
  function stateAt(stream: Stream, task: number, version: number): Loop | null {
    const loop = loops.load(task)
    return (loop?.version ?? 0) === version ? loop : foldLoop(events.load(stream, version))
  }

  return {
    /** Applies the events that were just appended to a stream at `version`. */
    add(stream: Stream, version: number, added: StoredEvent[]): void {
      const { kind, id } = parseStream(stream)
      if (kind === 'run') {
        for (const event of added) runs.project(id, event)
        return
      }
      let loop = stateAt(stream, id, version)
      for (const event of added) loop = fold(loop, event)
      if (loop) loops.save(loop)
    },

    rebuild(): void {
      for (const table of [loops, runs, sessions, reviews, gates]) table.clear()
      const folded = new Map<number, Loop>()
      for (const event of events.all()) {
        const { kind, id } = parseStream(event.stream)
        if (kind === 'run') runs.project(id, event)
        else folded.set(id, fold(folded.get(id) ?? null, event))
      }
      for (const loop of folded.values()) loops.save(loop)
    },
  }
}

function parseStream(stream: Stream): { kind: 'task' | 'run'; id: number } {
  const [, kind, id] = /^(task|run)\/([1-9]\d*)$/.exec(stream) ?? []
  if (kind !== 'task' && kind !== 'run') throw new Error(`${stream} is not a stream`)
  return { kind, id: Number(id) }
}
