/** What every attempts adapter must keep after an agent has ended. Called along with the rest of the contract. */
import { describe, expect, it } from 'vitest'
import { type AttemptsUnderTest, useAttempts } from './attempts-bench.ts'

export function describeLeft(name: string, open: (folder: string) => AttemptsUnderTest): void {
  describe(`${name}: the folder of an attempt`, () => {
    const { opened, shell } = useAttempts(open)

    it('keeps what the agent handed in: the first of each token and its contradictions, oldest first', async () => {
      const id = await shell('exit 0')
      expect(await opened().attempts.handedIn(id)).toEqual([])
      expect(await opened().handIn(id, { token: 'wrong', body: '{"a":1}' })).toBe('accepted')
      const same = [1, 2].map(() => opened().handIn(id, { token: 'right', body: 'yes' }))
      expect((await Promise.all(same)).sort()).toEqual(['accepted', 'already-handed-in'])
      expect(await opened().handIn(id, { token: 'right', body: 'no' })).toBe('contradicted')
      expect(await opened().handIn(id, { token: 'right', body: 'no' })).toBe('contradicted')
      expect(await opened().attempts.handedIn(id)).toEqual([
        { token: 'wrong', body: '{"a":1}' },
        { token: 'right', body: 'yes' },
        { token: 'right', body: 'no' },
      ])
    })

    it('keeps only a few contradictions of a hand-in, and notes that there were more', async () => {
      const id = await shell('exit 0')
      for (let n = 0; n < 20; n++) await opened().handIn(id, { token: 't', body: `${n}` })
      await opened().handIn(id, { token: 'long', body: 'x'.repeat(3_000_000) })
      const bodies = (await opened().attempts.handedIn(id)).map(({ body }) => body)
      expect(bodies.slice(0, -1)).toEqual(['0', '1', '2', '3', '4', '5', 'and more'])
      expect(bodies.at(-1)).toHaveLength(1_000_000)
    })

    it('keeps what the agent was refused, one line each', async () => {
      const id = await shell('exit 0')
      expect(await opened().attempts.refusals(id)).toEqual([])
      await opened().noteRefusal(id, 'umpire merge 3\n')
      await opened().noteRefusal(id, 'umpire edit 3\n  --verdict APPROVED')
      expect(await opened().attempts.refusals(id)).toEqual([
        'umpire merge 3',
        'umpire edit 3 --verdict APPROVED',
      ])
    })

    it('keeps no more refusals than a person would read', async () => {
      const id = await shell('exit 0')
      await opened().noteRefusal(id, 'x'.repeat(10_000))
      for (let n = 0; n < 300; n++) await opened().noteRefusal(id, `${n}`)
      const refusals = await opened().attempts.refusals(id)
      expect(refusals).toHaveLength(100)
      expect(refusals[0]).toHaveLength(500)
      await opened().noteRefusal(id, 'y'.repeat(3_000_000))
      expect((await opened().attempts.refusals(id)).join('').length).toBeLessThan(64 * 1024)
    })
  })
}
