/**
 * PORT: the journal is the only authority. `append` refuses when the stream has moved on since it was loaded, so two
 * writers can never both believe they were first. Tables that screens read are projections, written in the same
 * transaction. The signatures are asynchronous because a database across the network is the second adapter.
 */
import type { EventType, NewEvent, StoredEvent, Stream } from '../core/event.ts'

export interface Journal {
  /** All events of the stream, oldest first; empty when there is no such stream. */
  load(stream: Stream): Promise<StoredEvent[]>
  /** Throws ConflictError when the stream's version is not `expectedVersion`; then nothing was written. */
  append(stream: Stream, expectedVersion: number, ...events: NewEvent[]): Promise<StoredEvent[]>
  list(filter: EventFilter): Promise<StoredEvent[]>
  /** Events after `cursor` in order, waiting for more until the signal aborts. */
  since(cursor: number, signal: AbortSignal): AsyncIterable<StoredEvent>
  /** The number of the latest event of all; where `since` starts for whoever wants only what comes. */
  lastSeq(): Promise<number>
  /** The number that the next new task or run would get; a race for it is settled by `append`. */
  nextId(kind: 'task' | 'run'): Promise<number>
}

export interface EventFilter {
  stream?: Stream
  types?: EventType[]
  /** Only events with a greater seq. */
  after?: number
  limit?: number
}
