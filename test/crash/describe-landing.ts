/**
 * Umpire is killed or frozen while it lands work. Whatever the instant, the base gets every approved change exactly
 * once, the person's checkout is clean and at the base, and nothing is left behind.
 */
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readStat } from '../../src/lib/process/process-identity.ts'
import { until } from '../support/patient.ts'
import { type Harm, instants } from './harm.ts'
import { type Landed, landedIn, openApprovedStage, openFiledStage } from './landing-stage.ts'
import { inParallel, sample, seed } from './sampling.ts'
import type { Scene, Stage, Started } from './stage.ts'

/** At how many instants Umpire is killed. */
export interface LandingSizes {
  appends: number
  /** In a run from the very beginning: the appends with which an approved task starts to land. */
  towards: number
  /** `moves`: around the calls that move the base. `calls`: around all others. */
  moves: number
  calls: number
  git: number
  /** At how many of the three moves of the base Umpire is frozen. */
  frozen: number
}

interface Play {
  stage: Stage
  landed: Landed
  told: string[]
}

let approved: Play
let filed: Play

async function undisturbed(stage: Stage): Promise<Play> {
  const scene = await stage.scene()
  const driver = scene.drive(null)
  const { code, stderr } = await driver.ended
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const landed = await landedIn(scene)
  expect(await scene.leftovers()).toEqual([])
  await scene.remove()
  return { stage, landed, told: driver.lines() }
}

async function expectLanded(scene: Scene, { landed }: Play, found: object, wanted: object): Promise<void> {
  const outcome = { landed: await landedIn(scene), leftovers: await scene.leftovers() }
  expect({ ...found, ...outcome }).toEqual({ ...wanted, landed, leftovers: [] })
}

async function killedAndTakenUp(play: Play, harm: unknown, die: (scene: Scene) => Started): Promise<void> {
  const scene = await play.stage.scene()
  try {
    const { signal } = await die(scene).ended
    const { code, stderr } = await scene.start('work').ended
    await expectLanded(
      scene,
      play,
      { harm, signal, code, stderr },
      { harm, signal: 'SIGKILL', code: 0, stderr: '' },
    )
  } finally {
    await scene.remove()
  }
}

const isFrozen = (pid: number) => until(() => readStat(pid)?.state === 'T', `${pid} to be frozen`)

const frozenAt: [string, Harm][] = [
  ['before it moves the base to the first', { at: 'vcs.advance#1', side: 'before', how: 'SIGSTOP' }],
  ['before it moves the base to the merge', { at: 'vcs.advance#2', side: 'before', how: 'SIGSTOP' }],
  ['when the base is moved and nobody knows', { at: 'vcs.advance#2', side: 'after', how: 'SIGSTOP' }],
]

const landingsOf = (worker: Started) =>
  worker
    .lines()
    .filter((line) => line.endsWith(' loop.landed'))
    .map((line) => line.split(' ')[2])

export function describeLanding(sizes: LandingSizes): void {
  beforeAll(async () => {
    approved = await undisturbed(await openApprovedStage())
    filed = await undisturbed(await openFiledStage())
  })
  afterAll(() => {
    for (const play of [approved, filed]) play?.stage.remove()
  })

  test('the undisturbed run fast-forwards to one task and merges the other, and starts no agent again', () => {
    expect(approved.landed).toMatchObject({
      tasks: ['completed APPROVED in main', 'completed APPROVED in main'],
      landings: ['task 1', 'task 2'],
      firstParents: ['First commit', 'one', 'Merge umpire/2-two: two'],
      subjects: ['First commit', 'Merge umpire/2-two: two', 'one', 'two'],
      checkout: '## main',
      refs: ['refs/heads/main', 'refs/heads/umpire/1-one', 'refs/heads/umpire/2-two'],
      runs: [],
    })
    expect(approved.told.filter((line) => line.startsWith('vcs.advance#'))).toHaveLength(2)
  })

  test('everything lands once if Umpire is killed before or after any append of a landing', async () => {
    const all = instants(approved.told, 'SIGKILL').filter(({ at }) => at.startsWith('append#'))
    // In a run from the very beginning: the appends with which an approved task starts to land.
    const towards = filed.told.flatMap((line, index) => {
      if (!/ loop\.(approved|landing)$/.test(line)) return []
      const at = filed.told.slice(0, index).findLast((call) => call.startsWith('append#')) ?? ''
      return (['before', 'after'] as const).map((side): Harm => ({ at, side, how: 'SIGKILL' }))
    })
    expect(towards).toHaveLength(8)
    const some = sample(all, sizes.appends)
    console.log(
      `killed at ${some.length} of ${all.length} instants around appends of a landing (seed ${seed})`,
    )
    await inParallel(some, (harm) => killedAndTakenUp(approved, harm, (scene) => scene.drive(harm)))
    await inParallel(sample(towards, sizes.towards), (harm) =>
      killedAndTakenUp(filed, harm, (scene) => scene.drive(harm)),
    )
  })

  test('everything lands once if Umpire is killed around the side effects of a landing', async () => {
    const all = instants(approved.told, 'SIGKILL').filter(({ at }) => !at.startsWith('append#'))
    const moves = all.filter(({ at }) => at.startsWith('vcs.advance#'))
    const others = all.filter((harm) => !moves.includes(harm))
    const some = [...sample(moves, sizes.moves), ...sample(others, sizes.calls)]
    console.log(`killed at ${some.length} of ${all.length} instants around calls of a port (seed ${seed})`)
    await inParallel(some, (harm) => killedAndTakenUp(approved, harm, (scene) => scene.drive(harm)))
  })

  test('everything lands once if Umpire is killed inside its own git during a landing', async () => {
    const scene = await approved.stage.scene()
    await scene.startWithGit(null, 'work').ended
    const { length: calls } = readFileSync(join(scene.folder, 'git-calls'), 'utf8').trimEnd().split('\n')
    await scene.remove()
    const all = Array.from({ length: calls }, (_, index) => index + 1).flatMap((call) =>
      (['goes-on', 'dies'] as const).map((how) => ({ call, how })),
    )
    const some = sample(all, sizes.git)
    console.log(`killed at ${some.length} of ${all.length} instants: the calls of git (seed ${seed})`)
    await inParallel(some, (harm) =>
      killedAndTakenUp(approved, harm, (each) => each.startWithGit(harm, 'work')),
    )
  })

  test.each(frozenAt.slice(-sizes.frozen))(
    'frozen %s and woken after its successor has landed the work, a worker moves nothing',
    async (_, harm) => {
      const scene = await approved.stage.scene()
      try {
        const first = scene.drive(harm)
        await isFrozen(first.pid)
        const two = scene.drive(null)
        const { code, stderr } = await two.ended
        first.kill('SIGCONT')
        const one = await first.ended
        const found = { codes: [one.code, code], stderr: one.stderr + stderr }
        await expectLanded(scene, approved, found, { codes: [0, 0], stderr: '' })
        const second = harm.at.endsWith('#2')
        expect([landingsOf(first), landingsOf(two)]).toEqual(
          second ? [['task/1'], ['task/2']] : [[], ['task/1', 'task/2']],
        )
      } finally {
        await scene.remove()
      }
    },
  )

  test('frozen before it moves the base and woken during its successor’s gate, a worker lands only the other task', async () => {
    const scene = await approved.stage.scene()
    try {
      const first = scene.drive({ at: 'vcs.advance#1', side: 'before', how: 'SIGSTOP' })
      await isFrozen(first.pid)
      rmSync(join(scene.folder, 'at-gate'))
      await scene.hold('gate')
      const second = scene.drive(null)
      await scene.arrived('gate')
      first.kill('SIGCONT')
      // Both workers now land on the same base, each with one task.
      await until(() => first.lines().some((line) => line.endsWith(' task/2 loop.claimed')), 'the next claim')
      await scene.letGo('gate')
      const ends = [await first.ended, await second.ended]
      expect(ends.map(({ code, stderr }) => ({ code, stderr }))).toEqual([
        { code: 0, stderr: '' },
        { code: 0, stderr: '' },
      ])
      expect([landingsOf(first), landingsOf(second)]).toEqual([['task/2'], ['task/1']])
      const { tasks, landings, files, checkout, refs } = approved.landed
      const found = await landedIn(scene)
      expect(found).toMatchObject({ tasks, landings, files, checkout, refs })
      // The task that comes second needs the merge commit, and the order varies.
      expect(found.subjects.filter((subject) => !subject.startsWith('Merge '))).toEqual([
        ...['First commit', 'one', 'two'],
      ])
      expect(found.firstParents).toHaveLength(3)
      expect(await scene.leftovers()).toEqual([])
    } finally {
      await scene.remove()
    }
  })
}
