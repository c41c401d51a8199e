/**
 * A review in free text is paid for once. If Umpire is killed between the end of the reviewer and the parsed verdict,
 * the next Umpire continues with the parser. Neither agent runs a second time.
 */
import { resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { instants } from './harm.ts'
import { inParallel, sample } from './sampling.ts'
import { type Outcome, openStage, type Stage } from './stage.ts'

const player = { command: ['sh', resolve(import.meta.dirname, '../fixtures/crash/free-agent.sh')] }

let stage: Stage
let undisturbed: { outcome: Outcome; told: string[] }

/** `size`: at how many instants Umpire is killed. */
export function describeParser(size: number): void {
  beforeAll(async () => {
    stage = await openStage({
      agents: { player },
      gates: {},
      review: { channels: ['json', 'parser'] },
    })
    const scene = await stage.scene()
    const driver = scene.drive(null)
    expect(await driver.ended).toMatchObject({ code: 0, stderr: '' })
    undisturbed = { outcome: await scene.outcome(), told: driver.lines() }
    expect(await scene.leftovers()).toEqual([])
    await scene.remove()
  })
  afterAll(() => stage.remove())

  test('reviewer and parser each run once, even if Umpire is killed between them', async () => {
    expect(undisturbed.outcome).toMatchObject({
      verdict: 'APPROVED',
      reviews: ['1 APPROVED'],
      runs: ['developer 1 1', 'reviewer 1 1', 'parser 1 1'],
    })
    const { told } = undisturbed
    const answered = told.findIndex((line) => line.endsWith(' review.answered'))
    const completed = told.findIndex((line) => line.endsWith(' review.completed'))
    expect(answered).toBeGreaterThan(0)
    // From the append of the answer to that of the review. The driver prints an append before its events.
    const all = instants(told.slice(answered - 2, completed + 1), 'SIGKILL')
    const counted = all.filter(({ at }) =>
      /^(append|attempts\.(start|follow|remove)|vcs\.openClone)#/.test(at),
    )
    const some = sample(counted, size)
    console.log(
      `killed at ${some.length} of ${counted.length} instants between ${told[answered]} and ${told[completed]}`,
    )
    await inParallel(some, async (harm) => {
      const scene = await stage.scene()
      try {
        const died = await scene.drive(harm).ended
        const done = await scene.start('work').ended
        const found = { died: died.signal, code: done.code, stderr: done.stderr }
        const [outcome, leftovers] = [await scene.outcome(), await scene.leftovers()]
        expect({ harm, ...found, outcome, leftovers }).toEqual({
          harm,
          ...{ died: 'SIGKILL', code: 0, stderr: '' },
          outcome: undisturbed.outcome,
          leftovers: [],
        })
      } finally {
        await scene.remove()
      }
    })
  })
}
