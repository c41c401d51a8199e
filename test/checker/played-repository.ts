/** A repository in which real runs of `umpire` ended in every possible way. Tests copy, damage and check it. */
import { spawnSync } from 'node:child_process'
import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { openConnection } from '../../src/store/sqlite/sqlite-driver.ts'
import { gitIn } from '../support/repository.ts'
import { type Bench, fileAppears, openBench, type Scenario } from '../support/umpire.ts'

const folder = resolve(import.meta.dirname, '../../checker')
const checker = join(folder, 'check.mjs')
// The checker is JavaScript without types, so it is imported by path.
const { findViolations } = await import(join(folder, 'find-violations.mjs'))
const { openGit } = await import(join(folder, 'read-git.mjs'))
const { openHistory } = await import(join(folder, 'read-history.mjs'))

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
    { task: 'led', cycle: 1, do: [{ write: { 'clash.txt': 'one\n' } }] },
    { task: 'clashing', do: [{ write: { 'clash.txt': 'another\n' } }] },
  ],
  reviewer: [
    { task: 'revised', cycle: 1, do: [{ submit: wanting }] },
    { task: 'given up', do: [{ submit: wanting }] },
    { task: 'by hand', do: [{ submit: { verdict: 'REJECTED', summary: 'No.' } }] },
    { task: 'unreadable', do: [{ say: 'It would have been APPROVED.' }] },
    { task: 'led', cycle: 1, do: [{ submit: wanting }] },
    { task: 'improved', do: [{ submit: wanting }] },
    { task: 'judged', do: [{ submit: wanting }] },
  ],
}

/** The names of the tasks in tests. */
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
  led: 11,
  improved: 12,
  judged: 13,
  clashing: 14,
  looks: 15,
  mends: 16,
  lands: 17,
  waits: 18,
  dirty: 19,
  changed: 20,
  parsed: 21,
  pending: 22,
}

/** Plays all tasks and returns the folder of the checkout. */
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
    led: ['--max-cycles', '1'],
    improved: ['--max-cycles', '1'],
    judged: ['--no-review'],
    clashing: ['--no-review'],
  }
  for (const [title, more] of Object.entries(flags)) await bench.add(title, ...more)
  const work = bench.start('work', '--parallel', '3')
  await fileAppears(join(bench.folder, 'runs'))
  await bench.umpire('cancel', String(task.cancelled))
  await work.ended
  await bench.umpire('edit', String(task.byHand), '--verdict', 'APPROVED')
  for (const id of [task.deleted, task.vanishes]) await bench.umpire('delete', String(id))
  await leadByHand(bench)
  bench.play({})
  await bench.umpire('retry', String(task.crashes))
  await bench.add('looks', '-t', 'review', '--of', String(task.judged))
  await bench.add('mends', '-t', 'improve', '--of', String(task.judged))
  await bench.umpire('work')
  for (const [title, settings] of Object.entries(otherSettings)) {
    bench.write({ 'umpire.local.yaml': JSON.stringify(settings) })
    await bench.add(title)
    await bench.umpire('work')
  }
  await mergeIntoDirty(bench)
  await approveChanged(bench)
  await haveParsed(bench)
  await bench.add('pending')
  // The bench is removed after the first test.
  return copyRepository(bench.root)
}

const otherSettings = { lands: { land: 'base' }, waits: { review: { trigger: 'explicit' } } }

/** All of a person's steps. They end in a merge, a pending review, requested changes and a conflict. */
async function leadByHand(bench: Bench): Promise<void> {
  const moves: string[][] = [
    ['improve', String(task.led), '--note', 'Be brief.'],
    ['review', String(task.led)],
    ['merge', String(task.led)],
    ['improve', String(task.improved)],
    ['review', String(task.judged)],
    ['merge', String(task.clashing)],
  ]
  for (const move of moves) await bench.umpire(...move)
}

/** A person changes completed work and approves the result. */
async function approveChanged(bench: Bench): Promise<void> {
  await bench.add('changed', '--no-review')
  await bench.umpire('work')
  bench.write({ '.umpire/worktrees/20-changed/mine.txt': 'mine\n' })
  await bench.umpire('edit', String(task.changed), '--verdict', 'APPROVED')
}

/** Reviews in free text: one that the parser can't read either, one whose parser crashes, and one that is parsed. */
async function haveParsed(bench: Bench): Promise<void> {
  const review = { channels: ['json', 'parser'], retries: 1 }
  bench.write({ 'umpire.local.yaml': JSON.stringify({ review, limits: { agent_retries: 1 } }) })
  bench.play({
    reviewer: [{ do: [{ say: 'It is fine by me.' }] }],
    parser: [
      { session: 3, do: [{ say: '{"verdict":"UNCLEAR"}' }] },
      { session: 5, do: [{ exit: 1 }] },
      { do: [{ say: '{"verdict":"APPROVED"}' }] },
    ],
  })
  await bench.add('parsed')
  await bench.umpire('work')
}

/** The owner merges work that waits for a dirty checkout. The next run with something to do notices that. */
async function mergeIntoDirty(bench: Bench): Promise<void> {
  await bench.add('dirty', '--no-review')
  await bench.umpire('work')
  bench.write({ 'README.md': '# Changed\n' })
  await bench.umpire('merge', String(task.dirty))
  bench.git('checkout', 'README.md')
  bench.git('merge', '--ff-only', 'umpire/landed')
}

export function copyRepository(root: string): string {
  const copy = mkdtempSync(join(tmpdir(), 'umpire-checked-'))
  cpSync(root, copy, { recursive: true, filter: (path) => !/\/\.(umpire|git)\/worktrees/.test(path) })
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
  /** Changes the data of one event: the last of this type in the task's stream, or the one with index `which`. */
  edit(task: number, type: string, change: (data: Data) => void, which?: number): void
  /** Turns an event into one without meaning, so that there is no gap. */
  blank(task: number, type: string, which?: number): void
  /** Appends an event to the task's stream. */
  append(task: number, type: string, data: Data): void
  git(...args: string[]): string
}

/** Changes the limits in every claim of the task. */
export const policyOf = (id: number, change: (policy: Data) => void) => (it: Damaged) => {
  for (let which = 0; ; which++) {
    try {
      it.edit(id, 'loop.claimed', ({ policy }) => change(policy), which)
    } catch {
      return
    }
  }
}

// biome-ignore lint/suspicious/noExplicitAny: the damaged data has the shape of a dozen events.
export type Data = any

interface StoredEvent {
  seq: number
  version: number
  data: string
}

export async function damage(
  root: string,
  how: (damaged: Damaged) => void,
  git = (...args: string[]) => gitIn(root, ...args),
): Promise<void> {
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
      git,
    })
  } finally {
    connection.close()
  }
}

/**
 * Damages a copy and returns the violations that the checker finds. Only the database is copied, and git runs in the
 * original, which never changes. A damage that needs git gets a whole copy, and the checker runs as a program.
 */
export async function violationsAfter(root: string, how: (damaged: Damaged) => void): Promise<string[]> {
  const copy = mkdtempSync(join(tmpdir(), 'umpire-checked-'))
  mkdirSync(join(copy, '.umpire'))
  const database = ['umpire.db', 'umpire.db-wal'].map((name) => join('.umpire', name))
  for (const path of database)
    if (existsSync(join(root, path))) copyFileSync(join(root, path), join(copy, path))
  let isWhole = false
  const git = (...args: string[]) => {
    if (!isWhole) cpSync(root, copy, { recursive: true, filter: (path) => !/\/\.umpire/.test(path) })
    isWhole = true
    return gitIn(copy, ...args)
  }
  try {
    await damage(copy, how, git)
    const violations = isWhole ? foundByProgram(copy) : await foundWithin(copy, root)
    if (violations.length === 0) throw new Error('the check found nothing')
    return violations.map(({ rule, stream, text }) => `${rule} ${stream}: ${text}`)
  } finally {
    removeRepository(copy)
  }
}

interface Violation {
  rule: string
  stream: string
  text: string
}

function foundByProgram(root: string): Violation[] {
  const { code, stdout, stderr } = check(root, '--json')
  if (code !== 1) throw new Error(`the check found nothing (exit code ${code}): ${stdout}${stderr}`)
  return JSON.parse(stdout).violations
}

async function foundWithin(root: string, original: string): Promise<Violation[]> {
  const history = await openHistory(join(root, '.umpire/umpire.db'))
  try {
    return findViolations(history, gitOf(original))
  } finally {
    history.close()
  }
}

const gits = new Map<string, object>()

/** Caches git's answers. The repository never changes, so the answers stay the same. */
function gitOf(root: string): object {
  const known = gits.get(root)
  if (known) return known
  const answers = new Map<string, unknown>()
  const git = new Proxy(openGit(root), {
    get: (real: Data, name) =>
      name === 'fetch'
        ? real.fetch
        : (...args: unknown[]) => {
            const question = JSON.stringify([name, ...args])
            if (!answers.has(question)) answers.set(question, real[name](...args))
            return answers.get(question)
          },
  })
  gits.set(root, git)
  return git
}

export function removeRepository(root: string): void {
  rmSync(root, { recursive: true, force: true, maxRetries: 5 })
}
