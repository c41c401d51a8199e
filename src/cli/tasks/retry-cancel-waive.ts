import type { Loop } from '../../core/loop.ts'
import { openBlocking } from '../../core/review/ledger.ts'
import { summarise } from '../../core/summary.ts'
import { oneLine } from '../../lib/text/printable.ts'
import { makeMove } from '../../moves/make-move.ts'
import { statusLine } from '../../view/status-line.ts'
import type { Invocation } from '../invocation.ts'
import { outputPaint, outputWidth, print } from '../screen/output.ts'
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

export async function waive(
  id: number,
  { issue, why }: { issue: number[]; why: string },
  invocation: Invocation,
): Promise<void> {
  await writeStore(invocation, async (store, repository) => {
    const loop = await makeMove(id, { kind: 'waive', issues: issue, why }, store, repository)
    print(statusLine(summarise(loop), outputPaint(invocation), outputWidth(invocation)), invocation)
    print(`    ${whatFollows(loop)}`, invocation)
  })
}

function whatFollows(loop: Loop): string {
  const { status, recovery } = loop.standing
  const left = openBlocking(loop.review.ledger)
  const blocks =
    left.length === 1 ? 'One blocking issue is left.' : `${left.length} blocking issues are left.`
  switch (status) {
    case 'pending':
    case 'in_progress':
      return left.length > 0 ? blocks : 'No blocking issue is left. The next reviewer is told.'
    default: {
      const [next] = recovery
      const then = next ? `  next: ${oneLine(next, 300)}` : ''
      return left.length > 0
        ? `${blocks}${then}`
        : `No blocking issue is left, but the work still needs a review.${then}`
    }
  }
}
