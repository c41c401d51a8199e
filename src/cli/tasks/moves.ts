import { summarise } from '../../core/summary.ts'
import { makeMove } from '../../moves/make-move.ts'
import { statusLine } from '../../view/status-line.ts'
import type { Invocation } from '../invocation.ts'
import { outputPaint, outputWidth } from '../screen/colours.ts'
import { print } from '../screen/print.ts'
import { writeStore } from '../with-store.ts'

export function retry(id: number, { why }: { why?: string }, invocation: Invocation): Promise<void> {
  return move(id, { kind: 'retry', why: why ?? null }, invocation)
}

export function cancel(id: number, { why }: { why?: string }, invocation: Invocation): Promise<void> {
  return move(id, { kind: 'cancel', why: why ?? null }, invocation)
}

async function move(
  id: number,
  how: { kind: 'retry' | 'cancel'; why: string | null },
  invocation: Invocation,
): Promise<void> {
  await writeStore(invocation, async (store, repository) => {
    const task = summarise(await makeMove(id, how, store, repository))
    print(statusLine(task, outputPaint(invocation), outputWidth(invocation)), invocation)
  })
}
