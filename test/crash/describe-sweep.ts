/**
 * Nothing is lost and nothing happens twice. Umpire is killed before and after every append to the journal, and around
 * its side effects in between. The next `umpire work` must bring the task to the same end with the same agent runs.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { instants } from './harm.ts'
import { inParallel, sample, seed } from './sampling.ts'
import { type Outcome, openStage, type Scene, type Stage, type Started } from './stage.ts'

/** At how many instants Umpire is killed. */
export interface SweepSizes {
  appends: number
  calls: number
  git: number
}

let stage: Stage
let undisturbed: { outcome: Outcome; told: string[] }

async function killedAndTakenUp(harm: unknown, die: (scene: Scene) => Started): Promise<void> {
  const scene = await stage.scene()
  try {
    const died = await die(scene).ended
    const done = await scene.start('work').ended
    const found = { died: died.signal, code: done.code, stderr: done.stderr }
    const outcome = await scene.outcome()
    const leftovers = await scene.leftovers()
    expect({ harm, ...found, outcome, leftovers }).toEqual({
      harm,
      died: 'SIGKILL',
      code: 0,
      stderr: '',
      outcome: undisturbed.outcome,
      leftovers: [],
    })
  } finally {
    await scene.remove()
  }
}

export function describeSweep(sizes: SweepSizes): void {
  beforeAll(async () => {
    stage = await openStage()
    const scene = await stage.scene()
    const driver = scene.drive(null)
    const { code, stderr } = await driver.ended
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    undisturbed = { outcome: await scene.outcome(), told: driver.lines() }
    expect(await scene.leftovers()).toEqual([])
    await scene.remove()
  })
  afterAll(() => stage.remove())

  test('the undisturbed run has a gate failure, a rejection, a revision and an approval', () => {
    expect(undisturbed.outcome).toMatchObject({
      status: 'completed',
      verdict: 'APPROVED',
      subjects: ['Address review feedback (cycle 1)', 'Fix failing gate check', 'Write the work'],
      reviews: ['1 CHANGES_REQUESTED', '2 APPROVED'],
      runs: ['developer 1 1', 'developer 2 1', 'reviewer 2 1', 'developer 3 2', 'reviewer 3 2'],
    })
  })

  test('the task ends the same if Umpire is killed before or after any append', async () => {
    const all = instants(undisturbed.told, 'SIGKILL').filter(({ at }) => at.startsWith('append#'))
    const some = sample(all, sizes.appends)
    console.log(`killed at ${some.length} of ${all.length} instants around appends (seed ${seed})`)
    await inParallel(some, (harm) => killedAndTakenUp(harm, (scene) => scene.drive(harm)))
  })

  test('the task ends the same if Umpire is killed around its side effects', async () => {
    const all = instants(undisturbed.told, 'SIGKILL').filter(({ at }) => !at.startsWith('append#'))
    const some = sample(all, sizes.calls)
    console.log(`killed at ${some.length} of ${all.length} instants around calls of a port (seed ${seed})`)
    await inParallel(some, (harm) => killedAndTakenUp(harm, (scene) => scene.drive(harm)))
  })

  test('the task ends the same if Umpire is killed inside its own git, which continues or leaves a lock', async () => {
    const scene = await stage.scene()
    await scene.startWithGit(null, 'work').ended
    const { length: calls } = readFileSync(join(scene.folder, 'git-calls'), 'utf8').trimEnd().split('\n')
    await scene.remove()
    const all = Array.from({ length: calls }, (_, index) => index + 1).flatMap((call) =>
      (['goes-on', 'dies'] as const).map((how) => ({ call, how })),
    )
    const some = sample(all, sizes.git)
    console.log(`killed at ${some.length} of ${all.length} instants: the calls of git (seed ${seed})`)
    await inParallel(some, (harm) => killedAndTakenUp(harm, (each) => each.startWithGit(harm, 'work')))
  })
}
