/** Scenes in which agents are at work at a named place, and the outcome of the task if nothing disturbs it. */
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { openStore } from '../../src/store/sqlite/open-store.ts'
import { type Outcome, openStage, type Scene, type Stage } from './stage.ts'

let stage: Stage
let undisturbed: Outcome
let open: Scene[] = []

/** Each test file that uses the scenes calls this once. */
export function openScenes(): void {
  beforeAll(async () => {
    stage = await openStage()
    const scene = await stage.scene()
    await scene.start('work').ended
    undisturbed = await scene.outcome()
    await scene.remove()
  })
  afterEach(async () => {
    for (const scene of open) await scene.remove()
    open = []
  })
  afterAll(() => stage.remove())
}

export const whenUndisturbed = (): Outcome => undisturbed

/** A task whose agent or gate is at work at the named place. */
export async function reach(where: string, from = stage) {
  const scene = await from.scene()
  open.push(scene)
  await scene.hold(where)
  const work = scene.start('work')
  await scene.arrived(where)
  return { scene, work }
}

export async function killedAt(where: string, from = stage): Promise<Scene> {
  const { scene, work } = await reach(where, from)
  work.kill('SIGKILL')
  await work.ended
  return scene
}

export async function sessionsOf({ home }: Scene) {
  const { archive, close } = await openStore({ path: join(home, 'umpire.db'), access: 'read' })
  try {
    return await archive.sessions(1)
  } finally {
    await close()
  }
}
