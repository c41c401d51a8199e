import { UserError } from '../../core/errors.ts'
import type { Verdict } from '../../core/review/review.ts'
import { summarise } from '../../core/summary.ts'
import { oneLine } from '../../lib/text/printable.ts'
import { checkTask } from '../../moves/check-task.ts'
import { makeMove } from '../../moves/make-move.ts'
import { statusLine } from '../../view/status-line.ts'
import type { Invocation } from '../invocation.ts'
import { outputPaint, outputWidth } from '../screen/colours.ts'
import { print } from '../screen/print.ts'
import { writeStore } from '../with-store.ts'
import { type TaskOptions, taskChanges } from './task-options.ts'

export interface EditOptions extends TaskOptions {
  title?: string
  verdict?: Verdict
  why?: string
}

export async function edit(id: number, options: EditOptions, invocation: Invocation): Promise<void> {
  const { title, verdict, why } = options
  const changes = {
    ...(title === undefined ? {} : { title: title.trim() }),
    ...(await taskChanges(options, invocation)),
  }
  checkTask(changes)
  const changesAny = Object.keys(changes).length > 0
  if (why !== undefined && verdict === undefined) {
    throw new UserError('--why works only together with --verdict.', 'Give the verdict that it explains.')
  }
  if (!changesAny && verdict === undefined) {
    throw new UserError('There is nothing to change.', 'umpire edit --help lists what can be changed.')
  }
  await writeStore(invocation, async (store, repository) => {
    if (changesAny) await makeMove(id, { kind: 'change', changes }, store, repository)
    if (verdict) await makeMove(id, { kind: 'verdict', verdict, why: why ?? null }, store, repository)
    const loop = await store.archive.loop(id)
    if (loop) print(statusLine(summarise(loop), outputPaint(invocation), outputWidth(invocation)), invocation)
    // With `land: base`, work that a reviewer approves lands automatically. Work that a person approves is merged by that person.
    if (verdict === 'APPROVED' && loop?.work.head && loop.policy?.land === 'base' && !loop.landing.landed)
      print(`    next: umpire merge ${id}`, invocation)
  })
}

export async function remove(id: number, invocation: Invocation): Promise<void> {
  await writeStore(invocation, async (store, repository) => {
    const loop = await makeMove(id, { kind: 'delete' }, store, repository)
    print(
      `Deleted task ${id}.${loop.work.place ? ` Its branch ${oneLine(loop.work.place.branch)} is still there.` : ''}`,
      invocation,
    )
  })
}
