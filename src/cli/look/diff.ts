import { openVcs } from '../../app/repository.ts'
import { UserError } from '../../core/errors.ts'
import { renderDiff } from '../../view/render-diff.ts'
import type { Invocation } from '../invocation.ts'
import { outputPaint } from '../screen/colours.ts'
import { readTask } from '../with-store.ts'

export async function diff(id: number, invocation: Invocation): Promise<void> {
  await readTask(invocation, id, async (loop, _, repository) => {
    if (!loop.work.place || !loop.work.head)
      throw new UserError(`Task ${id} has no work yet.`, `umpire work ${id} starts it.`)
    const vcs = await openVcs(repository)
    const { text } = await vcs.diff(loop.work.place, loop.work.head.tree)
    // A terminal must not obey control characters in a diff. A file or `git apply` must get the diff unchanged.
    const { stdout } = invocation
    stdout.write(stdout.isTTY ? renderDiff(text, outputPaint(invocation)) : text)
  })
}
