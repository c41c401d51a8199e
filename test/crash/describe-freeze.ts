/**
 * A worker is frozen (SIGSTOP, Ctrl-Z, a suspended container), and another one claims its task. The first one wakes up
 * in the middle of a step. It must notice that the task is no longer its own, and change nothing: not the journal, not
 * the branch or worktree, not the agent that its successor has adopted.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readStat } from '../../src/lib/process/process-identity.ts'
import { until } from '../support/patient.ts'
import { type Harm, instants } from './harm.ts'
import { inParallel, sample, seed } from './sampling.ts'
import { type GitHarm, type Outcome, openStage, type Scene, type Stage, type Started } from './stage.ts'

/** At how many instants the worker is frozen. */
export interface FreezeSizes {
  anywhere: number
  git: number
  announced: number
  phases: string[]
}

let stage: Stage
let undisturbed: { outcome: Outcome; told: string[] }

const isFrozen = (pid: number) => until(() => readStat(pid)?.state === 'T', `${pid} to be frozen`)

/** The numbers of the events that a worker wrote about the task, as the driver or `work --json` prints them. */
function written(worker: Started, type = ''): number[] {
  return worker.lines().flatMap((line) => {
    const told = line.startsWith('event ') && line.includes(` task/1 ${type}`)
    if (told) return Number(line.split(' ')[1])
    const event = line.startsWith('{') ? JSON.parse(line) : {}
    return event.task === 1 && event.type.startsWith(type) ? event.seq : []
  })
}

async function frozenAndTakenOver(
  harm: Harm | GitHarm,
  wakeAfter: number,
  freeze: (scene: Scene) => Started,
): Promise<void> {
  const scene = await stage.scene()
  try {
    const first = freeze(scene)
    await isFrozen(first.pid)
    const second = scene.drive(null)
    let over = false
    const ended = second.ended.finally(() => {
      over = true
    })
    await until(() => over || written(second).length >= wakeAfter, 'the second worker to get on')
    first.kill('SIGCONT')
    const [one, two] = [await first.ended, await ended]
    const claimed = written(second, 'loop.claimed')[0] ?? 0
    const found = {
      codes: [one.code, two.code],
      stderr: `${one.stderr}${two.stderr}`,
      // The worker may print an event late that it appended before it was frozen. That event is before the claim.
      late: written(first).filter((seq) => claimed > 0 && seq > claimed),
      outcome: await scene.outcome(),
      leftovers: await scene.leftovers(),
    }
    expect({ harm, wakeAfter, ...found }).toEqual({
      harm,
      wakeAfter,
      codes: [0, 0],
      stderr: '',
      late: [],
      outcome: undisturbed.outcome,
      leftovers: [],
    })
  } finally {
    await scene.remove()
  }
}

export function describeFreeze(sizes: FreezeSizes): void {
  beforeAll(async () => {
    stage = await openStage()
    const scene = await stage.scene()
    const driver = scene.drive(null)
    await driver.ended
    undisturbed = { outcome: await scene.outcome(), told: driver.lines() }
    await scene.remove()
  })
  afterAll(() => stage.remove())

  test('frozen anywhere and woken while its successor works, a worker changes nothing', async () => {
    const all = instants(undisturbed.told, 'SIGSTOP')
    const some = sample(all, sizes.anywhere).map((harm, index) => ({
      harm,
      wakeAfter: 1 + ((index * 7) % 12),
    }))
    console.log(
      `frozen at ${some.length} of ${all.length} instants: appends and calls of a port (seed ${seed})`,
    )
    await inParallel(some, ({ harm, wakeAfter }) =>
      frozenAndTakenOver(harm, wakeAfter, (scene) => scene.drive(harm)),
    )
  })

  test('frozen before it has claimed, a worker leaves the task to the one that has claimed it', async () => {
    const claim = undisturbed.told.findIndex((line) => line.endsWith(' loop.claimed'))
    const at = undisturbed.told.slice(0, claim).findLast((line) => line.startsWith('append#')) ?? ''
    const last = undisturbed.told.slice(0, claim).findLast((line) => line.includes('#') && line !== at) ?? ''
    const harms: Harm[] = [
      { at, side: 'before', how: 'SIGSTOP' },
      { at: last, side: 'after', how: 'SIGSTOP' },
    ]
    // It wakes while its successor's first agent runs, which is long enough for it to do harm.
    for (const harm of harms) await frozenAndTakenOver(harm, 5, (scene) => scene.drive(harm))
  })

  test('frozen between announcing an agent and starting it, a worker no longer starts it', async () => {
    const { told } = undisturbed
    const announced = told.flatMap((line, index) => (line.endsWith(' session.started') ? index : []))
    const appends = announced.map((index) =>
      told.slice(0, index).findLast((line) => line.startsWith('append#')),
    )
    const harms = appends.map((at = ''): Harm => ({ at, side: 'after', how: 'SIGSTOP' }))
    expect(harms).toHaveLength(5)
    await inParallel(sample(harms, sizes.announced), (harm) =>
      frozenAndTakenOver(harm, 6, (scene) => scene.drive(harm)),
    )
  })

  test('frozen while its own git runs, a worker does not continue that step', async () => {
    const scene = await stage.scene()
    await scene.startWithGit(null, 'work').ended
    const { length: calls } = readFileSync(join(scene.folder, 'git-calls'), 'utf8').trimEnd().split('\n')
    await scene.remove()
    const all = Array.from({ length: calls }, (_, index): GitHarm => ({ call: index + 1, how: 'freezes' }))
    const some = sample(all, sizes.git).map((harm, index) => ({ harm, wakeAfter: 1 + ((index * 7) % 12) }))
    console.log(`frozen at ${some.length} of ${all.length} instants: the calls of git (seed ${seed})`)
    await inParallel(some, ({ harm, wakeAfter }) =>
      frozenAndTakenOver(harm, wakeAfter, (each) => each.startWithGit(harm, 'work', '--json')),
    )
  })

  test.each(sizes.phases)(
    'umpire work frozen during %s leaves the task to another worker, and says so',
    async (where) => {
      const scene = await stage.scene()
      try {
        await scene.hold(where)
        const first = scene.start('work')
        await scene.arrived(where)
        first.kill('SIGSTOP')
        await isFrozen(first.pid)
        const agents = scene.agents()
        const second = scene.start('work', '--json')
        await until(() => second.lines().some((line) => line.includes('"loop.claimed"')), 'a second claim')
        first.kill('SIGCONT')
        const one = await first.ended
        expect({ code: one.code, stderr: one.stderr }).toEqual({ code: 0, stderr: '' })
        expect(one.stdout).toContain('was taken over or ended by another process')
        // The same agent still runs. A gate was started again.
        expect(scene.agents()).toEqual(agents)
        await scene.letGo(where)
        expect((await second.ended).code).toBe(0)
        expect(await scene.outcome()).toEqual(undisturbed.outcome)
        expect(await scene.leftovers()).toEqual([])
      } finally {
        await scene.remove()
      }
    },
  )
}
