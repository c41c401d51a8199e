import { summarise } from '../core/summary.ts'
import { printable } from '../lib/printable.ts'
import type { SessionRow } from '../store/archive.ts'
import type { Store } from '../store/store.ts'
import { renderTaskPage } from '../view/task-page.ts'
import { print, printJson } from './print.ts'
import { readTask } from './with-store.ts'

export async function show(id: number, options: { json?: boolean; prompts?: boolean }): Promise<void> {
  await readTask(id, async (loop, store) => {
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
    print(renderTaskPage({ loop, sessions, reviews, gates }))
    for (const [session, prompt] of prompts) print(`\n── prompt of ${session} ──\n${printable(prompt)}`)
  })
}

async function readPrompts(sessions: SessionRow[], store: Store): Promise<Map<string, string>> {
  const prompts = new Map<string, string>()
  for (const { id } of sessions) prompts.set(id, (await store.archive.prompt(id)) ?? '')
  return prompts
}
