import { summarise } from '../../core/summary.ts'
import { makeMove } from '../../moves/make-move.ts'
import { statusLine } from '../../view/status-line.ts'
import { outputPaint, outputWidth } from '../screen/colours.ts'
import { print } from '../screen/print.ts'
import { writeStore } from '../with-store.ts'

export function retry(id: number, { why }: { why?: string }): Promise<void> {
  return move(id, { kind: 'retry', why: why ?? null })
}

export function cancel(id: number, { why }: { why?: string }): Promise<void> {
  return move(id, { kind: 'cancel', why: why ?? null })
}

async function move(id: number, how: { kind: 'retry' | 'cancel'; why: string | null }): Promise<void> {
  await writeStore(async (store, repository) => {
    print(statusLine(summarise(await makeMove(id, how, store, repository)), outputPaint(), outputWidth()))
  })
}
