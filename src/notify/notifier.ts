/**
 * PORT: a way to reach a person who is not at the screen. A notifier only sends. The announcer and the outbox make sure
 * that each notification is sent once, retried after a failure and held back in quiet hours (`announcer.ts`).
 */
export interface Notifier {
  /** Its name for people, such as `webhook hooks.example.com`. It contains no secret, because errors show it. */
  readonly name: string
  /**
   * Tries once. Every result is a value, an abort too. The notification's text is data: nothing in it may be
   * executed, obeyed or read as markup on the way.
   */
  send(notification: Notification, signal: AbortSignal): Promise<Delivery>
}

/** `later`: trying again may help. `never`: it can't work here. */
export type Delivery =
  | { kind: 'delivered' }
  | { kind: 'failed'; why: string; again: 'later' | 'never'; afterMs?: number }

/** Programs read this, too: a webhook gets it as JSON, a command on its standard input. All text in it is safe to print. */
export interface Notification {
  /** The same in each attempt to deliver it. */
  id: string
  /** The type of the event. A `digest` reports several events from quiet hours. */
  event: 'loop.blocked' | 'loop.failed' | 'loop.awaiting_review' | 'run.ended' | 'digest'
  /** When the event happened. */
  at: string
  /** The name of the repository's folder. */
  repository: string
  task: number | null
  reason: string | null
  /** One line. */
  title: string
  /** One or more lines: what happened, and what was kept. */
  message: string
  /** Commands to type. The one that helps most often comes first. */
  next: string[]
}

/** The whole notification as a single text. */
export function wholeText({ title, message, next }: Notification): string {
  return [title, message, nextLine(next)].filter((part) => part !== '').join('\n')
}

export function nextLine(next: string[]): string {
  return next.length === 0 ? '' : `Next: ${next.join('  ·  ')}`
}

export function failed(why: string, again: 'later' | 'never', afterMs?: number): Delivery {
  return { kind: 'failed', why, again, ...(afterMs === undefined ? {} : { afterMs }) }
}
