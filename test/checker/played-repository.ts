/** A repository in which real runs of `umpire` came to every kind of end, to be copied, damaged and checked. */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { openConnection } from '../../src/store/sqlite-driver.ts'
import { gitIn } from '../support/repository.ts'
import { fileAppears, openBench, type Scenario } from '../support/umpire.ts'

const checker = resolve(import.meta.dirname, '../../checker/check.mjs')

const wanting = {
  verdict: 'CHANGES_REQUESTED',
  issues: [{ id: 'a', file: 'work.txt', line: 1, type: 'bug', description: 'It is not right.' }],
}
const ownCommit = ['git', 'commit', '-q', '-m', 'My own', '--allow-empty']

const scenario: Scenario = {
  developer: [
    {
      task: 'revised',
      cycle: 1,
      do: [{ write: { 'work.txt': '1\n' } }, { run: ownCommit }, { say: 'a\nb\nc' }],
    },
    { task: 'cancelled', do: [{ say: 'here' }, { touch: '$BENCH/runs' }, { await: 'never' }] },
    { task: 'crashes', do: [{ run: ownCommit }, { exit: 7 }] },
    { task: 'vanishes', do: [{ run: ['sh', '-c', 'rm -rf "$PWD"'] }] },
    { task: 'gated', iteration: 1, do: [{ write: { bad: '' } }] },
    { task: 'gated', do: [{ run: ['rm', 'bad'] }, { write: { good: '' } }] },
  ],
  reviewer: [
    { task: 'revised', cycle: 1, do: [{ submit: wanting }] },
    { task: 'given up', do: [{ submit: wanting }] },
    { task: 'by hand', do: [{ submit: { verdict: 'REJECTED', summary: 'No.' } }] },
    { task: 'unreadable', do: [{ say: 'It would have been APPROVED.' }] },
  ],
}

/** By these names tests know the tasks. */
export const task = {
  revised: 1,
  givenUp: 2,
  byHand: 3,
  deleted: 4,
  cancelled: 5,
  unreviewed: 6,
  crashes: 7,
  unreadable: 8,
  gated: 9,
  vanishes: 10,
  pending: 11,
}

/** Plays it all, and gives back the folder of the checkout. */
export async function playRepository(): Promise<string> {
  const bench = openBench({ scenario, config: { gates: { readme: 'test -e README.md' } } })
  const flags: Record<string, string[]> = {
    revised: [],
    'given up': ['--max-cycles', '1'],
    'by hand': [],
    deleted: [],
    cancelled: [],
    'not reviewed': ['--no-review'],
    crashes: [],
    unreadable: [],
    gated: ['--gate', 'test ! -e bad'],
    vanishes: [],
  }
  for (const [title, more] of Object.entries(flags)) await bench.add(title, ...more)
  const work = bench.start('work', '--parallel', '3')
  await fileAppears(join(bench.folder, 'runs'))
  await bench.umpire('cancel', String(task.cancelled))
  await work.ended
  await bench.umpire('edit', String(task.byHand), '--verdict', 'APPROVED')
  for (const id of [task.deleted, task.vanishes]) await bench.umpire('delete', String(id))
  bench.play({})
  await bench.umpire('retry', String(task.crashes))
  await bench.umpire('work')
  await bench.add('pending')
  // The bench goes away with the first test.
  return copyRepository(bench.root)
}

export function copyRepository(root: string): string {
  const copy = mkdtempSync(join(tmpdir(), 'umpire-checked-'))
  cpSync(root, copy, { recursive: true, filter: (path) => !path.includes('/.umpire/worktrees') })
  return copy
}

export interface Checked {
  code: number | null
  stdout: string
  stderr: string
}

export function check(...args: string[]): Checked {
  const { status, stdout, stderr } = spawnSync(process.execPath, [checker, ...args], { encoding: 'utf8' })
  return { code: status, stdout, stderr }
}

/** Everything that can be done to a copy behind Umpire's back. */
export interface Damaged {
  sql(text: string): void
  /** Changes the data of one event: the last of this type in the task's stream, or the how manieth. */
  edit(task: number, type: string, change: (data: Data) => void, which?: number): void
  /** Turns an event into one that means nothing, which leaves no gap. */
  blank(task: number, type: string, which?: number): void
  /** Writes one more event at the end of the task's stream. */
  append(task: number, type: string, data: Data): void
  git(...args: string[]): string
}

// biome-ignore lint/suspicious/noExplicitAny: what is damaged here has the shape of a dozen events.
export type Data = any

interface StoredEvent {
  seq: number
  version: number
  data: string
}

export async function damage(root: string, how: (damaged: Damaged) => void): Promise<void> {
  const connection = await openConnection(join(root, '.umpire/umpire.db'), 'write')
  const find = (id: number, type: string, which = -1): StoredEvent => {
    const select = 'SELECT seq, version, data FROM events WHERE stream = ? AND type = ? ORDER BY seq'
    const found = connection.sql<StoredEvent>(select).all(`task/${id}`, type).at(which)
    if (!found) throw new Error(`task ${id} has no ${type}`)
    return found
  }
  try {
    how({
      sql(text) {
        if (connection.sql(text).run() === 0) throw new Error(`nothing was changed by ${text}`)
      },
      edit(id, type, change, which) {
        const { seq, data } = find(id, type, which)
        const edited = JSON.parse(data)
        change(edited)
        connection.sql('UPDATE events SET data = ? WHERE seq = ?').run(JSON.stringify(edited), seq)
      },
      blank(id, type, which) {
        connection
          .sql("UPDATE events SET type = 'nothing', data = '{}' WHERE seq = ?")
          .run(find(id, type, which).seq)
      },
      append(id, type, data) {
        connection
          .sql(
            `INSERT INTO events (seq, stream, version, at, type, data) SELECT (SELECT max(seq) + 1 FROM events), ?1,
            max(version) + 1, max(at), ?2, ?3 FROM events WHERE stream = ?1`,
          )
          .run(`task/${id}`, type, JSON.stringify(data))
      },
      git: (...args) => gitIn(root, ...args),
    })
  } finally {
    connection.close()
  }
}

export function removeRepository(root: string): void {
  rmSync(root, { recursive: true, force: true, maxRetries: 5 })
}
