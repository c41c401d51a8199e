/** What every attempts adapter must do for the tools of a session. Called along with the rest of the contract. */

import { describe, expect, it } from 'vitest'
import type { ToolAsk } from '../../src/attempts/attempt.ts'
import { mostToolRequests } from '../../src/core/policy/fixed-limits.ts'
import { type AttemptsUnderTest, never, useAttempts } from './attempts-bench.ts'

export function describeRequests(name: string, open: (folder: string) => AttemptsUnderTest): void {
  describe(`${name}: a request of a session's tools`, () => {
    const { opened, follow, shell } = useAttempts(open)
    const ask = (id: string, body: string) => opened().ask(id, { token: 't', body })
    const nobody = AbortSignal.abort()

    async function take(asked: AsyncIterable<ToolAsk>, count: number): Promise<string[]> {
      const taken: string[] = []
      for await (const { number, body } of asked) {
        taken.push(`${number} ${body}`)
        if (taken.length === count) break
      }
      return taken
    }

    it('is delivered in order, earlier requests before new ones', async () => {
      const id = await shell('exec sleep 600')
      expect([await ask(id, 'a'), await ask(id, 'b')]).toEqual([1, 2])
      const heard = take(opened().attempts.asked(id, never), 3)
      await ask(id, 'c')
      expect(await heard).toEqual(['1 a', '2 b', '3 c'])
    })

    it('has its own number, even if several come at once', async () => {
      const id = await shell('exec sleep 600')
      const numbers = await Promise.all(['a', 'b', 'c', 'd'].map((body) => ask(id, body)))
      expect(numbers.sort()).toEqual([1, 2, 3, 4])
    })

    it('is refused beyond the highest number of requests', async () => {
      const id = await shell('exec sleep 600')
      for (let n = 1; n <= mostToolRequests; n++) expect(await ask(id, 'a')).toBe(n)
      expect(await ask(id, 'a')).toBeNull()
    })

    it('is answered once, and is not delivered again to a later listener', async () => {
      const { attempts, awaitAnswer } = opened()
      const id = await shell('exec sleep 600')
      await ask(id, 'a')
      await ask(id, 'b')
      const told = awaitAnswer(id, 1, never)
      await attempts.answer(id, 1, 'told')
      expect(await told).toBe('told')
      expect(await take(attempts.asked(id, nobody), 9)).toEqual(['2 b'])
    })

    it('is still delivered if it came before the listener was aborted, and no more follow', async () => {
      const id = await shell('exec sleep 600')
      const ending = new AbortController()
      const heard = take(opened().attempts.asked(id, ending.signal), 9)
      await ask(id, 'a')
      ending.abort()
      expect(await heard).toEqual(['1 a'])
    })

    it('gets no answer once the attempt was removed, or when the caller stops waiting', async () => {
      const { attempts, awaitAnswer } = opened()
      const id = await shell('exec sleep 600')
      await ask(id, 'a')
      expect(await awaitAnswer(id, 1, nobody)).toBeNull()
      const waiting = awaitAnswer(id, 1, never)
      await attempts.kill(id)
      await attempts.remove(id)
      expect(await waiting).toBeNull()
      await expect(ask(id, 'b')).rejects.toThrow()
      await attempts.answer(id, 1, 'nobody reads it')
      expect(await attempts.attach(id)).toBe('absent')
    })

    it('keeps an agent that waits for its answer from being idle', async () => {
      const id = await shell('exec sleep 600')
      let looks = 0
      const isAwaiting = () => ++looks <= 3
      const { end } = await follow(id, { idleMs: 50, isAwaiting })
      expect(end).toEqual({ kind: 'idle' })
      expect(looks).toBeGreaterThan(3)
    })
  })
}
