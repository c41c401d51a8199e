/**
 * PORT: a way to reach a person who is not looking. A notifier only sends; that each notification is sent once, again
 * after a failure and not at night is the outbox's matter (`announcer.ts`).
 */
export interface Notifier {
  /** What a person calls it, as in `webhook hooks.example.com`. Holds no secret: it is shown in errors. */
  readonly name: string
  /**
   * Tries once. Whatever comes of it is a value, an abort too. The notification's text is data: nothing in it may be
   * run, obeyed or taken for markup on its way.
   */
  send(notification: Notification, signal: AbortSignal): Promise<Delivery>
}

/** `later`: trying again may help. `never`: it can't work here. */
export type Delivery =
  | { kind: 'delivered' }
  | { kind: 'failed'; why: string; again: 'later' | 'never'; afterMs?: number }

/** Programs read this, too: a webhook gets it as JSON, a command on its standard input. All of its text is harmless. */
export interface Notification {
  /** The same in each attempt to deliver it. */
  id: string
  /** The type of the event that it tells of; `digest` tells of several that happened in quiet hours. */
  event: 'loop.blocked' | 'loop.failed' | 'loop.awaiting_review' | 'run.ended' | 'digest'
  /** When that happened. */
  at: string
  /** The name of the repository's folder. */
  repository: string
  task: number | null
  reason: string | null
  /** One line. */
  title: string
  /** One or more lines: what happened, and what was kept. */
  message: string
  /** Commands to type, the one that most often helps first. */
  next: string[]
}

/** What is said of it where there is room for one text alone. */
export function wholeText({ title, message, next }: Notification): string {
  return [title, message, nextLine(next)].filter((part) => part !== '').join('\n')
}

export function nextLine(next: string[]): string {
  return next.length === 0 ? '' : `Next: ${next.join('  ·  ')}`
}

export function failed(why: string, again: 'later' | 'never', afterMs?: number): Delivery {
  return { kind: 'failed', why, again, ...(afterMs === undefined ? {} : { afterMs }) }
}
