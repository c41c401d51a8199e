/** Agents that outlive Umpire, and agents that go down with it, phase by phase. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { send } from '../../src/lib/process/process-tree.ts'
import { openStore } from '../../src/store/sqlite/open-store.ts'
import { until } from '../support/patient.ts'
import { killedAt, openScenes, reach, sessionsOf, whenUndisturbed } from './agent-scenes.ts'

/** `killed`: the phases in which Umpire is killed. `cut`: those in which the whole machine goes down. */
export function describeAgents(killed: string[], cut: string[]): void {
  openScenes()

  test.each(killed)(
    'if Umpire is killed during %s, the agent continues and its result counts',
    async (where) => {
      const scene = await killedAt(where)
      const agents = scene.agents()
      expect(agents).toHaveLength(where === 'gate' ? 0 : 1)
      if (where === 'reviewer-3') writeFileSync(join(scene.folder, 'hand-in'), '')
      await scene.letGo(where)
      // The agent hands in and ends, and its keeper publishes the result, while no Umpire runs.
      await until(async () => (await scene.processes()).length === 0, 'the end of the agent')
      expect(await scene.start('work').ended).toMatchObject({ code: 0, stderr: '' })
      const outcome = await scene.outcome()
      expect(outcome.runs).toEqual(whenUndisturbed().runs)
      expect({ ...outcome, transcripts: [] }).toEqual({ ...whenUndisturbed(), transcripts: [] })
      expect(await scene.leftovers()).toEqual([])
      if (where !== 'reviewer-3') return
      const { archive, close } = await openStore({ path: join(scene.home, 'umpire.db'), access: 'read' })
      expect((await archive.reviews(1)).at(-1)).toMatchObject({ verdict: 'APPROVED', summary: 'handed in' })
      await close()
    },
  )

  test.each(cut)('a power cut during %s costs that one run, and no retry', async (where) => {
    const { scene } = await reach(where)
    // Umpire, its keepers and their agents all have this scene's environment variable.
    for (let pids = await scene.processes(); pids.length > 0; pids = await scene.processes())
      for (const pid of pids) send(pid, 'SIGKILL')
    await scene.letGo(where)
    expect(await scene.start('work').ended).toMatchObject({ code: 0, stderr: '' })
    const outcome = await scene.outcome()
    expect({ ...outcome, runs: [] }).toEqual({ ...whenUndisturbed(), runs: [] })
    const again = whenUndisturbed().runs.filter((run) => where === run.split(' ').slice(0, 2).join('-'))
    expect([...outcome.runs].sort()).toEqual([...whenUndisturbed().runs, ...again].sort())
    const lost = (await sessionsOf(scene)).filter(({ status }) => status === 'lost')
    expect(lost.map(({ role, iteration }) => `${role}-${iteration}`)).toEqual(where === 'gate' ? [] : [where])
    expect(await scene.leftovers()).toEqual([])
  })
}
