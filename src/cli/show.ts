import { openVcs, type Repository } from '../app/repository.ts'
import { UserError, VcsError } from '../core/errors.ts'
import type { Loop } from '../core/loop.ts'
import { summarise } from '../core/summary.ts'
import { printable } from '../lib/printable.ts'
import type { SessionRow } from '../store/archive.ts'
import type { Store } from '../store/store.ts'
import { renderTaskPage, type TaskPage } from '../view/task-page.ts'
import { outputColumns, outputPaint } from './colours.ts'
import { print, printJson } from './print.ts'
import { readTask } from './with-store.ts'

export interface ShowOptions {
  all?: boolean
  json?: boolean
  prompts?: boolean
}

export async function show(id: number, options: ShowOptions): Promise<void> {
  await readTask(id, async (loop, store, repository) => {
    const [sessions, reviews, gates] = await Promise.all([
      store.archive.sessions(id),
      store.archive.reviews(id),
      store.archive.gates(id),
    ])
    const prompts = options.prompts ? await readPrompts(sessions, store) : new Map<string, string>()
    if (options.json) {
      const { description, accept, scope, gates: backpressure, plan, of } = loop.task
      return printJson({
        ...summarise(loop),
        description,
        accept,
        scope,
        backpressure,
        plan: plan?.path ?? null,
        of,
        sessions: sessions.map(({ tokenHash: _, ...session }) =>
          options.prompts ? { ...session, prompt: prompts.get(session.id) ?? null } : session,
        ),
        reviews,
        gates,
        issues: loop.ledger,
      })
    }
    const [commits, files] = await Promise.all([countCommits(id, store), changedFiles(loop, repository)])
    const style = {
      now: new Date(),
      extent: options.all ? ('everything' as const) : ('a screen' as const),
      columns: options.all ? Number.POSITIVE_INFINITY : outputColumns(),
      paint: outputPaint(),
    }
    print(renderTaskPage({ loop, sessions, reviews, gates, commits, files }, style))
    for (const [session, prompt] of prompts) print(`\n── prompt of ${session} ──\n${printable(prompt)}`)
  })
}

/** Those that Umpire made; one that changed nothing is none. */
async function countCommits(id: number, { journal }: Store): Promise<number | null> {
  const committed = await journal.list({ stream: `task/${id}`, types: ['loop.committed'] })
  const made = committed.filter(
    (event) => event.type === 'loop.committed' && event.data.sha !== event.data.from,
  )
  return committed.length === 0 ? null : made.length
}

/** Null when there is nothing yet, or its branch was deleted since. */
async function changedFiles({ place, head }: Loop, repository: Repository): Promise<TaskPage['files']> {
  if (!place || !head) return null
  try {
    return (await (await openVcs(repository)).diff(place, head.tree)).files
  } catch (error) {
    if (error instanceof VcsError || error instanceof UserError) return null
    throw error
  }
}

async function readPrompts(sessions: SessionRow[], store: Store): Promise<Map<string, string>> {
  const prompts = new Map<string, string>()
  for (const { id } of sessions) prompts.set(id, (await store.archive.prompt(id)) ?? '')
  return prompts
}
