/**
 * The merge queue of this process. Requests that arrive during a merge wait. The next batch takes all waiting requests for
 * one branch, and the gates run once for all of them. If two processes land at once, the compare-and-swap on the branch
 * keeps them apart.
 */
import { pause } from '../../lib/concurrency.ts'

export interface MergeQueue<Request, Answer> {
  ask(request: Request): Promise<Answer>
  /** Makes the next batch wait for these tasks, for a short time and only while they are still coming. */
  expect(tasks: number[], isComing: (task: number) => Promise<boolean>): void
}

/** What the queue needs to know to form a batch. */
export interface Queued {
  task: number
  into: string
}

export type Answered<Answer> = { kind: 'answer'; answer: Answer } | { kind: 'error'; error: unknown }

interface Entry<Request, Answer> {
  request: Request
  resolve: (answer: Answer) => void
  reject: (error: unknown) => void
}

const lookEveryMs = 20
const longestWaitMs = 3_000

/** `run` answers every request of its batch. If it throws, all of them get that error. */
export function createMergeQueue<Request extends Queued, Answer>(
  run: (batch: Request[]) => Promise<Map<Request, Answered<Answer>>>,
): MergeQueue<Request, Answer> {
  const waiting: Entry<Request, Answer>[] = []
  let expected: { tasks: Set<number>; isComing: (task: number) => Promise<boolean> } | null = null
  let running = false

  async function work(): Promise<void> {
    if (running) return
    running = true
    while (waiting.length > 0) {
      const order = await gather()
      const batch = nextBatch(
        waiting.map(({ request }) => request),
        order,
      )
      const entries = batch.flatMap((request) => waiting.filter((entry) => entry.request === request))
      for (const entry of entries) waiting.splice(waiting.indexOf(entry), 1)
      await runBatch(entries)
    }
    running = false
  }

  /** Waits for the expected tasks, and returns them in the order in which they were named. */
  async function gather(): Promise<number[]> {
    const order = [...(expected?.tasks ?? [])]
    for (let looks = 0; expected && looks * lookEveryMs < longestWaitMs; looks++) {
      const { tasks, isComing } = expected
      const missing = [...tasks].filter((task) => !waiting.some(({ request }) => request.task === task))
      const coming = await Promise.all(missing.map(isComing))
      if (!coming.includes(true)) break
      await pause(lookEveryMs)
    }
    expected = null
    return order
  }

  async function runBatch(entries: Entry<Request, Answer>[]): Promise<void> {
    try {
      const answers = await run(entries.map(({ request }) => request))
      for (const { request, resolve, reject } of entries) {
        const answered = answers.get(request)
        if (answered?.kind === 'answer') resolve(answered.answer)
        else reject(answered?.error ?? new Error(`task ${request.task} was left out of its batch`))
      }
    } catch (error) {
      for (const { reject } of entries) reject(error)
    }
  }

  return {
    ask: (request) =>
      new Promise((resolve, reject) => {
        waiting.push({ request, resolve, reject })
        void work()
      }),
    expect(tasks, isComing) {
      expected = { tasks: new Set(tasks), isComing }
    },
  }
}

/** All requests for the branch of the longest-waiting request, in the order in which they arrived or in the given order. */
export function nextBatch<Request extends Queued>(waiting: Request[], order: number[] = []): Request[] {
  const [first] = waiting
  const named = ({ task }: Request) => (order.includes(task) ? order.indexOf(task) : order.length)
  return waiting
    .filter(({ into }) => into === first?.into)
    .toSorted((one, other) => named(one) - named(other))
}
