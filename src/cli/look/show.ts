import { openVcs, type Repository } from '../../app/repository.ts'
import { UserError, VcsError } from '../../core/errors.ts'
import type { Loop } from '../../core/loop.ts'
import { summarise } from '../../core/summary.ts'
import { printable } from '../../lib/text/printable.ts'
import type { SessionRow } from '../../store/archive.ts'
import type { Store } from '../../store/store.ts'
import { renderTaskPage, type TaskPage } from '../../view/task-page.ts'
import { findWeakened } from '../../weakened-tests/find-weakened.ts'
import type { Invocation } from '../invocation.ts'
import { outputColumns, outputPaint, print, printJson } from '../screen/output.ts'
import { readTask } from '../with-store.ts'

export interface ShowOptions {
  all?: boolean
  json?: boolean
  prompts?: boolean
}

/** The most facts to list about what the work does to the tests. */
const mostFacts = 100

export async function show(id: number, options: ShowOptions, invocation: Invocation): Promise<void> {
  await readTask(invocation, id, async (loop, store, repository) => {
    const [{ files, weakened }, sessions, reviews, gates] = await Promise.all([
      readWork(loop, repository),
      store.archive.sessions(id),
      store.archive.reviews(id),
      store.archive.gates(id),
    ])
    const prompts = options.prompts ? await readPrompts(sessions, store) : new Map<string, string>()
    if (options.json) {
      const { description, accept, scope, gates: backpressure, plan, of, source = null } = loop.task
      const shown = {
        ...summarise(loop),
        description,
        accept,
        scope,
        backpressure,
        plan: plan?.path ?? null,
        of,
        source,
        sessions: sessions.map(({ tokenHash: _, ...session }) =>
          options.prompts ? { ...session, prompt: prompts.get(session.id) ?? null } : session,
        ),
        reviews,
        gates,
        issues: loop.review.ledger,
        // Null if git can't tell.
        weakenedTests: weakened?.facts ?? null,
        moreWeakenedTests: weakened?.more ?? null,
      }
      return printJson(shown, invocation)
    }
    const commits = await countCommits(id, store)
    const style = {
      now: new Date(),
      extent: options.all ? ('everything' as const) : ('a screen' as const),
      columns: options.all ? Number.POSITIVE_INFINITY : outputColumns(invocation),
      paint: outputPaint(invocation),
    }
    const page = { loop, sessions, reviews, gates, commits, files, weakened }
    print(renderTaskPage(page, style), invocation)
    for (const [session, prompt] of prompts)
      print(`\n── prompt of ${session} ──\n${printable(prompt)}`, invocation)
  })
}

/** Counts the commits that Umpire made. A recorded commit that changed nothing is not counted. */
async function countCommits(id: number, { journal }: Store): Promise<number | null> {
  const committed = await journal.list({ stream: `task/${id}`, types: ['loop.committed'] })
  const made = committed.filter(
    (event) => event.type === 'loop.committed' && event.data.sha !== event.data.from,
  )
  return committed.length === 0 ? null : made.length
}

/** Both are null if the branch was deleted. A task without work has not changed any tests. */
async function readWork(
  { work: { place, head } }: Loop,
  repository: Repository,
): Promise<Pick<TaskPage, 'files' | 'weakened'>> {
  if (!place || !head) return { files: null, weakened: { facts: [], more: 0 } }
  try {
    const { files, text } = await (await openVcs(repository)).diff(place, head.tree)
    return { files, weakened: findWeakened(text, mostFacts) }
  } catch (error) {
    if (error instanceof VcsError || error instanceof UserError) return { files: null, weakened: null }
    throw error
  }
}

async function readPrompts(sessions: SessionRow[], store: Store): Promise<Map<string, string>> {
  const prompts = new Map<string, string>()
  for (const { id } of sessions) prompts.set(id, (await store.archive.prompt(id)) ?? '')
  return prompts
}
