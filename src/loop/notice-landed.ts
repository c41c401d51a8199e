/** Work that waited for a checkout, and that its person has brought into the base with their own git meanwhile. */
import { ConflictError } from '../core/errors.ts'
import type { NewEvent } from '../core/event.ts'
import type { Archive } from '../store/archive.ts'
import type { Journal } from '../store/journal.ts'
import type { Vcs } from '../vcs/vcs.ts'

export async function noticeLanded(ports: { archive: Archive; journal: Journal; vcs: Vcs }): Promise<void> {
  for (const { id, reason } of await ports.archive.tasks()) {
    if (reason !== 'checkout_dirty') continue
    const loop = await ports.archive.loop(id)
    if (loop?.status !== 'blocked' || !loop.place || !loop.head) continue
    const { base } = loop.place
    if (!(await ports.vcs.isMerged(loop.place, loop.head.sha))) continue
    const found = { commit: loop.head.sha, tree: null, checkout: null }
    const { cycle } = loop
    const events: NewEvent[] = [
      { type: 'loop.integrated', data: { outcome: { kind: 'landed', ...found }, cycle } },
      { type: 'loop.landed', data: { base, ...found, cycle } },
    ]
    await ports.journal.append(`task/${id}`, loop.version, ...events).catch((error: unknown) => {
      // Somebody moved it in this very moment, and knows better.
      if (!(error instanceof ConflictError)) throw error
    })
  }
}
