import { expect, test } from 'vitest'
import { type Answered, createMergeQueue } from '../../src/loop/land/merge-queue.ts'

interface Asked {
  task: number
  into: string
}

/** A queue that holds each batch until the test releases it. */
function heldQueue() {
  const batches: Asked[][] = []
  const held: (() => void)[] = []
  const queue = createMergeQueue<Asked, number>(async (batch) => {
    batches.push(batch)
    await new Promise<void>((go) => held.push(go))
    if (batch.some(({ task }) => task === 13)) throw new Error('unlucky')
    return new Map(
      batch.map((request): [Asked, Answered<number>] => [request, { kind: 'answer', answer: request.task }]),
    )
  })
  const ask = (task: number, into = 'main') => queue.ask({ task, into })
  const tasks = () => batches.map((batch) => batch.map(({ task }) => task))
  const letGo = async () => {
    while (held.length === 0) await new Promise((done) => setImmediate(done))
    held.shift()?.()
  }
  return { queue, ask, tasks, letGo }
}

test('merges requests for the same branch in one batch if they arrive during another batch', async () => {
  const { ask, tasks, letGo } = heldQueue()
  const first = ask(1)
  while (tasks().length === 0) await new Promise((done) => setImmediate(done))
  const others = [ask(2), ask(3, 'other'), ask(4)]
  for (let batches = 0; batches < 3; batches++) await letGo()
  expect(await Promise.all([first, ...others])).toEqual([1, 2, 3, 4])
  expect(tasks()).toEqual([[1], [2, 4], [3]])
})

test('rejects every request of a batch that fails, and still runs the next batch', async () => {
  const { ask, letGo } = heldQueue()
  const unlucky = ask(13)
  await letGo()
  await expect(unlucky).rejects.toThrow('unlucky')
  const next = ask(14)
  await letGo()
  expect(await next).toBe(14)
})

test('waits for expected requests that are still coming, and keeps their order', async () => {
  const { queue, ask, tasks, letGo } = heldQueue()
  const coming = new Set([3, 1, 2])
  queue.expect([3, 1, 2], async (task) => coming.has(task))
  const first = ask(1)
  coming.delete(2)
  const second = ask(3)
  await letGo()
  expect(await Promise.all([first, second])).toEqual([1, 3])
  expect(tasks()).toEqual([[3, 1]])
})
