import { createEventViews } from '../../app/event-views.ts'
import { oneLine } from '../../lib/text/printable.ts'
import type { EventView } from '../../view/event-view.ts'
import type { Invocation } from '../invocation.ts'
import { print, printJsonLine } from '../screen/output.ts'
import { followStore, readStore } from '../with-store.ts'

export interface EventsOptions {
  after: number
  follow?: boolean
  json?: boolean
}

export async function events(options: EventsOptions, invocation: Invocation): Promise<void> {
  const nothing = () => {}
  if (options.follow) {
    const never = new AbortController().signal
    return followStore(
      invocation,
      async ({ journal }) => {
        const view = createEventViews(journal)
        for await (const event of journal.since(options.after, never))
          printEvent(await view(event), options.json ?? false, invocation)
      },
      nothing,
    )
  }
  await readStore(
    invocation,
    async ({ journal }) => {
      const view = createEventViews(journal)
      for (const event of await journal.list({ after: options.after }))
        printEvent(await view(event), options.json ?? false, invocation)
    },
    nothing,
  )
}

function printEvent(view: EventView, json: boolean, invocation: Invocation): void {
  if (json) return printJsonLine(view, invocation)
  const whose = view.task === null ? '' : ` #${view.task}`
  print(`${view.seq} ${view.at}${whose} ${view.type} ${oneLine(view.message)}`, invocation)
}
