/**
 * What every attempts adapter must keep of what the agent leaves behind. Called along with the rest of the contract.
 */
import { describe, expect, it } from 'vitest'
import { type AttemptsUnderTest, useAttempts } from './attempts-bench.ts'

export function describeLeft(name: string, open: (folder: string) => AttemptsUnderTest): void {
  describe(`${name}: what is left in the folder`, () => {
    const { opened, shell } = useAttempts(open)

    it('is what the agent handed in, the first of each token and what contradicts it, oldest first', async () => {
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

    it('is of what contradicts a hand-in no more than a few, and a word that there was more', async () => {
      const id = await shell('exit 0')
      for (let n = 0; n < 20; n++) await opened().handIn(id, { token: 't', body: `${n}` })
      await opened().handIn(id, { token: 'long', body: 'x'.repeat(3_000_000) })
      const bodies = (await opened().attempts.handedIn(id)).map(({ body }) => body)
      expect(bodies.slice(0, -1)).toEqual(['0', '1', '2', '3', '4', '5', 'and more'])
      expect(bodies.at(-1)).toHaveLength(1_000_000)
    })

    it('is what was refused to the agent, a line each', async () => {
      const id = await shell('exit 0')
      expect(await opened().attempts.refusals(id)).toEqual([])
      await opened().noteRefusal(id, 'umpire merge 3\n')
      await opened().noteRefusal(id, 'umpire edit 3\n  --verdict APPROVED')
      expect(await opened().attempts.refusals(id)).toEqual([
        'umpire merge 3',
        'umpire edit 3 --verdict APPROVED',
      ])
    })

    it('is no more of what was refused than a person would read', async () => {
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
