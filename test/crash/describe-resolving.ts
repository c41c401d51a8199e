/**
 * An agent resolves a conflict at landing, and Umpire is killed meanwhile. Whatever the instant, the conflict is
 * resolved once, reviewed once, and both changes are in the base.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Harm, instants } from './harm.ts'
import { type Landed, landedIn, openConflictStage } from './landing-stage.ts'
import { inParallel, sample, seed } from './sampling.ts'
import type { Stage } from './stage.ts'

/** At how many instants Umpire is killed. */
export interface ResolvingSizes {
  appends: number
  /** `merges`: around the calls that make the merge. `calls`: around all others. */
  merges: number
  calls: number
}

let stage: Stage
let undisturbed: Landed
let told: string[]

async function killedAndTakenUp(harm: Harm): Promise<void> {
  const scene = await stage.scene()
  try {
    const { signal } = await scene.drive(harm).ended
    const { code, stderr } = await scene.start('work').ended
    const found = { harm, signal, code, stderr, landed: await landedIn(scene), left: await scene.leftovers() }
    expect(found).toEqual({ harm, signal: 'SIGKILL', code: 0, stderr: '', landed: undisturbed, left: [] })
  } finally {
    await scene.remove()
  }
}

/** The instants from the conflict until the work is approved again. */
function whileResolving(): Harm[] {
  const from = told.findIndex((line) => line.endsWith(' loop.resolving'))
  const to = told.findLastIndex((line) => line.endsWith(' loop.approved'))
  expect([from, to]).not.toContain(-1)
  return instants(told.slice(from - 2, to + 2), 'SIGKILL')
}

export function describeResolving(sizes: ResolvingSizes): void {
  beforeAll(async () => {
    stage = await openConflictStage()
    const scene = await stage.scene()
    const driver = scene.drive(null)
    const { code, stderr } = await driver.ended
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    undisturbed = await landedIn(scene)
    expect(await scene.leftovers()).toEqual([])
    told = driver.lines()
    await scene.remove()
  })
  afterAll(() => stage?.remove())

  test('the undisturbed run resolves and reviews the second task once, and lands both', () => {
    expect(undisturbed).toMatchObject({
      tasks: ['completed APPROVED in main', 'completed APPROVED in main'],
      landings: ['task 1', 'task 2'],
      subjects: ['First commit', 'Merge main: resolve conflicts', 'same one', 'same two'],
      checkout: '## main',
    })
    expect(undisturbed.runs.map((run) => run.split(' ')[0])).toEqual(['resolver', 'reviewer'])
  })

  test('Umpire continues from there if it is killed before or after an append', async () => {
    const all = whileResolving().filter(({ at }) => at.startsWith('append#'))
    const some = sample(all, sizes.appends)
    console.log(`killed at ${some.length} of ${all.length} instants: before and after appends (seed ${seed})`)
    await inParallel(some, killedAndTakenUp)
  })

  test('the merge is made once if Umpire is killed around its side effects', async () => {
    const all = whileResolving().filter(({ at }) => !at.startsWith('append#'))
    const merges = all.filter(({ at }) => /^vcs\.(beginMerge|finishMerge)#/.test(at))
    expect(merges.length).toBeGreaterThanOrEqual(4)
    const rest = all.filter((harm) => !merges.includes(harm))
    const some = [...sample(merges, sizes.merges), ...sample(rest, sizes.calls)]
    console.log(`killed at ${some.length} of ${all.length} instants around calls of a port (seed ${seed})`)
    await inParallel(some, killedAndTakenUp)
  })
}
