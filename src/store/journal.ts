/**
 * PORT: the journal is the only authority. `append` refuses if the stream has changed since it was loaded, so two
 * writers can never both believe they were first. The tables that screens read are projections, written in the same
 * transaction. The signatures are asynchronous because the second adapter will be a database across the network.
 */
import type { EventType, NewEvent, StoredEvent, Stream } from '../core/event.ts'

export interface Journal {
  /** All events of the stream, oldest first. Empty if there is no such stream. */
  load(stream: Stream): Promise<StoredEvent[]>
  /** Throws ConflictError if the stream's version is not `expectedVersion`. Then nothing was written. */
  append(stream: Stream, expectedVersion: number, ...events: NewEvent[]): Promise<StoredEvent[]>
  list(filter: EventFilter): Promise<StoredEvent[]>
  /** Events after `cursor` in order, waiting for more until the signal aborts. */
  since(cursor: number, signal: AbortSignal): AsyncIterable<StoredEvent>
  /** The number of the latest event in the journal. Pass it to `since` to get only new events. */
  lastSeq(): Promise<number>
  /**
   * The number that the next new task or run would get. If two callers get the same one, `append` accepts only the
   * first.
   */
  nextId(kind: 'task' | 'run'): Promise<number>
}

export interface EventFilter {
  stream?: Stream
  types?: EventType[]
  /** Only events with a greater seq. */
  after?: number
  limit?: number
}
