/**
 * Repositories in which two approved tasks wait to be merged into the same base: one can be fast-forwarded, then the
 * other needs a merge commit. The outcome is the base, and everything that a landing must not touch.
 */
import { execFile } from 'node:child_process'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { openStore } from '../../src/store/sqlite/open-store.ts'
import { until } from '../support/patient.ts'
import { openStage, type Scene, type Stage } from './stage.ts'

const run = promisify(execFile)
const fixture = (name: string) => resolve(import.meta.dirname, '../fixtures/crash', name)

const settings = {
  agents: { player: { command: ['sh', fixture('lander.sh')] } },
  gates: { check: `sh ${fixture('land-gate.sh')}` },
  land: 'base',
  parallel: 1,
}

/** Both tasks are added and neither has started. */
export const openFiledStage = (): Promise<Stage> => openStage(settings, (scene) => fileBoth(scene))

/** Both tasks are approved, and were interrupted when they were about to land. */
export const openApprovedStage = (): Promise<Stage> => openStage(settings, (scene) => approveBoth(scene))

/** The same with two tasks that write the same file, so that the second conflicts with the first. */
export const openConflictStage = (): Promise<Stage> =>
  openStage(settings, (scene) => approveBoth(scene, ['same one', 'same two']))

async function fileBoth({ start }: Scene, titles = ['one', 'two']): Promise<void> {
  for (const title of titles) await start('add', title).ended
}

async function approveBoth(scene: Scene, titles?: string[]): Promise<void> {
  await fileBoth(scene, titles)
  await scene.hold('gate')
  const work = scene.start('work', '--parallel', '2', '--json')
  const landing = () => work.lines().filter((line) => line.includes('"type":"loop.landing"')).length
  await until(() => landing() === 2, 'both to be on their way into the base')
  work.kill('SIGINT')
  const { code, stderr } = await work.ended
  if (code !== 130) throw new Error(`exit code ${code}: ${stderr}`)
}

export interface Landed {
  tasks: string[]
  /** The commits on the base's own line, from the first one on. */
  firstParents: string[]
  subjects: string[]
  files: string
  checkout: string
  refs: string[]
  landings: string[]
  runs: string[]
}

export async function landedIn({ root, home, runs }: Scene): Promise<Landed> {
  const git = async (...args: string[]) => (await run('git', args, { cwd: root })).stdout.trimEnd()
  const { archive, journal, close } = await openStore({ path: join(home, 'umpire.db'), access: 'read' })
  try {
    const tasks: string[] = []
    const landings: string[] = []
    for (const id of [1, 2] as const) {
      const loop = await archive.loop(id)
      const landed = loop?.landing.landed
      const isThere = await git('merge-base', '--is-ancestor', landed?.commit ?? '', 'main').then(
        () => 'in main',
        () => 'not in main',
      )
      tasks.push(`${loop?.standing.status} ${loop?.standing.verdict} ${isThere}`)
      for (const { type } of await journal.load(`task/${id}`))
        if (type === 'loop.landed') landings.push(`task ${id}`)
    }
    const log = async (...args: string[]) => (await git('log', '--format=%s', ...args, 'main')).split('\n')
    return {
      tasks,
      landings,
      firstParents: (await log('--first-parent')).reverse(),
      subjects: (await log()).sort(),
      files: await git('ls-tree', '-r', 'main'),
      checkout: await git('status', '--porcelain', '--branch'),
      refs: (await git('for-each-ref', '--format=%(refname)')).split('\n'),
      runs: runs().sort(),
    }
  } finally {
    await close()
  }
}
