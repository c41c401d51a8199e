import type { StoredEvent } from '../core/event.ts'
import { oneLine } from '../lib/printable.ts'
import { viewEvent } from '../view/event-view.ts'
import { print, printJsonLine } from './print.ts'
import { followStore, readStore } from './with-store.ts'

export interface EventsOptions {
  after: number
  follow?: boolean
  json?: boolean
}

export async function events(options: EventsOptions): Promise<void> {
  const show = (event: StoredEvent) => printEvent(event, options.json ?? false)
  const nothing = () => {}
  if (options.follow) {
    const never = new AbortController().signal
    return followStore(async ({ journal }) => {
      for await (const event of journal.since(options.after, never)) show(event)
    }, nothing)
  }
  await readStore(async ({ journal }) => {
    for (const event of await journal.list({ after: options.after })) show(event)
  }, nothing)
}

export function printEvent(event: StoredEvent, json: boolean): void {
  const view = viewEvent(event)
  if (json) return printJsonLine(view)
  const whose = view.task === null ? '' : ` #${view.task}`
  print(`${view.seq} ${view.at}${whose} ${view.type} ${oneLine(view.message)}`)
}
