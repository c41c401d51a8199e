/**
 * Many tasks in groups, several in parallel, and Umpire kills itself again and again. A seed chooses the append around
 * which it dies. The merged result must equal that of an undisturbed run, and nothing may happen twice or be left
 * behind. Timing decides which task an append belongs to. A failure names the seed and the appends.
 */
import '../support/patient.ts'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TaskSummary } from '../../src/core/summary.ts'
import { randomFrom } from './sampling.ts'
import { openStage, type Scene, type Stage } from './stage.ts'

const seed = Number(process.env.CROWD_SEED ?? 6)

export interface Crowd {
  tasks: number
  groups: number
  parallel: number
  kills: number
  /** All tasks together write about as many events as the number of kills times half of this. */
  mostEventsBetweenKills: number
}

let stage: Stage
let undisturbed: Merged

/** Spreads the tasks evenly over the groups. Some tasks also depend on one of an earlier group. */
async function filePlan({ tasks, groups }: Crowd, { folder, start }: Scene): Promise<void> {
  const plan = join(folder, 'plan')
  mkdirSync(plan)
  for (let task = 1; task <= tasks; task++) {
    const group = Math.ceil((task * groups) / tasks)
    const after = group > 1 && task % 3 === 0 ? [task - Math.ceil(tasks / groups)] : []
    const text = `---\ntask: ${task}\ngroup: ${group}\ndepends_on: [${after}]\n---\n# Crowd task ${task}\n\nWrite tasks/${task}.\n`
    writeFileSync(join(plan, `${String(task).padStart(2, '0')}.md`), text)
  }
  const { code, stderr } = await start('import', plan).ended
  if (code !== 0) throw new Error(stderr)
}

interface Merged {
  tree: string
  /** How often each task's change is in the history. */
  changes: Record<string, number>
  turns: string[]
}

async function readMerged({ groups }: Crowd, scene: Scene): Promise<Merged> {
  const { root, folder } = scene
  const branch = git(root, 'for-each-ref', '--format=%(refname:short)', `refs/heads/umpire/*/group-${groups}`)
  const subjects = git(root, 'log', '--no-merges', '--format=%s', `main..${branch}`).split('\n')
  const changes: Record<string, number> = {}
  for (const subject of subjects) changes[subject] = (changes[subject] ?? 0) + 1
  return {
    tree: git(root, 'rev-parse', `${branch}^{tree}`),
    changes,
    turns: readFileSync(join(folder, 'turns'), 'utf8').trimEnd().split('\n').sort(),
  }
}

async function workToTheEnd({ start }: Scene): Promise<void> {
  const { code, stdout, stderr } = await start('work').ended
  const unfinished = stdout.split('\n').filter((line) => /^[!✗→]/.test(line))
  expect({ code, stderr, unfinished }).toEqual({ code: 0, stderr: '', unfinished: [] })
}

async function leftBehind(scene: Scene): Promise<string[]> {
  const { root, home } = scene
  const worktrees = existsSync(join(home, 'worktrees')) ? readdirSync(join(home, 'worktrees')) : []
  const checkout = git(root, 'status', '--porcelain', '--branch')
  return [
    ...worktrees.map((name) => `worktree ${name}`),
    ...(checkout === '## main' ? [] : [`checkout: ${checkout}`]),
    ...(git(root, 'rev-parse', 'main') === git(root, 'rev-list', '--max-parents=0', 'main')
      ? []
      : ['main moved']),
    ...(await scene.leftovers()),
  ]
}

function git(cwd: string, ...args: string[]): string {
  return execFileSync('git', args, { cwd, encoding: 'utf8' }).trim()
}

export function describeCrowd(crowd: Crowd): void {
  beforeAll(async () => {
    const agent = ['sh', resolve(import.meta.dirname, '../fixtures/crash/crowd.sh')]
    const settings = {
      agents: { crowd: { command: agent, env: { CROWD_SEED: String(seed) } } },
      roles: { developer: 'crowd', reviewer: 'crowd' },
      limits: { agent_retries: 2 },
      gates: { check: 'test -d tasks' },
      parallel: crowd.parallel,
    }
    stage = await openStage(settings, (scene) => filePlan(crowd, scene))
    const scene = await stage.scene()
    await workToTheEnd(scene)
    undisturbed = await readMerged(crowd, scene)
    expect(await leftBehind(scene)).toEqual([])
    await scene.remove()
  })
  afterAll(() => stage.remove())

  test('the undisturbed run merges every task into the last group once', async () => {
    expect(Object.values(undisturbed.changes)).toHaveLength(crowd.tasks + 1)
    for (let task = 1; task <= crowd.tasks; task++) expect(undisturbed.changes[`Crowd task ${task}`]).toBe(1)
  })

  test('after many kills, the merged tree is the same and nothing is lost, duplicated or left behind', async () => {
    const scene = await stage.scene()
    const random = randomFrom(seed)
    try {
      const killedAt: string[] = []
      for (let kill = 0; kill < crowd.kills; kill++) {
        const at = `append#${1 + Math.floor(random() * crowd.mostEventsBetweenKills)}`
        const side = random() < 0.5 ? 'before' : 'after'
        const { signal } = await scene.drive({ at, side, how: 'SIGKILL' }, crowd.parallel).ended
        if (signal === 'SIGKILL') killedAt.push(`${side} ${at}`)
      }
      const { code, stderr } = await scene.start('work').ended
      const { stdout } = await scene.start('status', '--all', '--json').ended
      const rows: TaskSummary[] = JSON.parse(stdout).tasks
      const unfinished = rows.filter(
        ({ status, verdict }) => status !== 'completed' || verdict !== 'APPROVED',
      )
      const how = { seed, killedAt }
      const left = await leftBehind(scene)
      expect({ how, code, stderr, unfinished, merged: await readMerged(crowd, scene), left }).toEqual({
        how,
        ...{ code: 0, stderr: '', unfinished: [], merged: undisturbed, left: [] },
      })
      expect(killedAt.length).toBeGreaterThan(crowd.kills / 2)
    } finally {
      await scene.remove()
    }
  })
}
