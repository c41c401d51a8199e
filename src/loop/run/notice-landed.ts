/** Work that waited for a checkout, and that its person has brought into the base with their own git meanwhile. */
import { ConflictError } from '../../core/errors.ts'
import type { NewEvent } from '../../core/event.ts'
import { waitsForCheckout } from '../../core/standing.ts'
import type { Archive } from '../../store/archive.ts'
import type { Journal } from '../../store/journal.ts'
import type { Vcs } from '../../vcs/vcs.ts'

export async function noticeLanded(ports: { archive: Archive; journal: Journal; vcs: Vcs }): Promise<void> {
  for (const task of await ports.archive.tasks()) {
    const { id } = task
    const loop = waitsForCheckout(task) ? await ports.archive.loop(id) : null
    if (!loop?.work.place || !loop.work.head || !waitsForCheckout(loop.standing)) continue
    const { base } = loop.work.place
    if (!(await ports.vcs.isMerged(loop.work.place, loop.work.head.sha))) continue
    const found = { commit: loop.work.head.sha, tree: null, checkout: null }
    const {
      review: { cycle },
    } = loop
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
