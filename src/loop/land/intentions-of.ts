import type { Loop } from '../../core/loop.ts'
import type { Ports } from '../ports.ts'

const mostIntentions = 10

/**
 * The tasks whose work a branch is that is merged into this loop's: the one whose branch it is, or those that landed there
 * since this loop began.
 */
export async function intentionsOf(
  other: string,
  loop: Loop,
  { archive }: Ports,
): Promise<{ id: number; title: string }[]> {
  const found: { id: number; title: string }[] = []
  for (const { id, title, branch, landed, endedAt } of await archive.tasks()) {
    if (id === loop.id) continue
    const isLater = landed !== null && (endedAt ?? '') > (loop.startedAt ?? '')
    const into = isLater && branch !== other ? (await archive.loop(id))?.landed?.base : null
    if (branch === other || into === other) found.push({ id, title })
  }
  return found.slice(-mostIntentions)
}
