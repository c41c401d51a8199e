/**
 * The scripted agent's program. It finds its part in a YAML script by role, task, cycle and iteration, edits files as
 * written there, and prints its text:
 *
 *   developer:
 *     - task: 1                       # id or title; a part without this key matches any
 *       cycle: 1
 *       write: { src/a.txt: "hello" } # also: append, delete: [path]
 *       say: Done.
 *   reviewer:
 *     - { task: 1, cycle: 1, submit: { verdict: CHANGES_REQUESTED, issues: [Say goodbye, too] } }
 *     - say: "**Verdict: APPROVED**"
 *
 * `wait` (milliseconds) and `exit` (a code) make it slow or make it fail. The first matching part is used.
 */
import { spawnSync } from 'node:child_process'
import { appendFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, relative, resolve } from 'node:path'
import { parse } from 'yaml'

interface Part {
  task?: number | string
  cycle?: number
  iteration?: number
  wait?: number
  write?: Record<string, string>
  append?: Record<string, string>
  delete?: string[]
  submit?: unknown
  say?: string
  exit?: number
}

const env = process.env
const [scriptPath = ''] = process.argv.slice(2)

try {
  await play(findPart(parse(await readFile(scriptPath, 'utf8'))))
} catch (error) {
  console.error(`scripted agent: ${error instanceof Error ? error.message : error}`)
  process.exitCode = 1
}

function findPart(script: unknown): Part {
  const role = env.UMPIRE_ROLE ?? ''
  const parts = script && typeof script === 'object' ? (script as Record<string, unknown>)[role] : undefined
  if (!Array.isArray(parts)) throw new Error(`${scriptPath} has no list of parts for the role ${role}`)
  const part = parts.find((candidate: Part) => fits(candidate))
  if (!part) {
    const { UMPIRE_TASK: task, UMPIRE_CYCLE: cycle, UMPIRE_ITERATION: iteration } = env
    throw new Error(
      `${scriptPath} has no part for ${role}, task ${task}, cycle ${cycle}, iteration ${iteration}`,
    )
  }
  return part
}

function fits(part: Part): boolean {
  const task = part.task === undefined || [env.UMPIRE_TASK, env.UMPIRE_TASK_TITLE].includes(String(part.task))
  const cycle = part.cycle === undefined || env.UMPIRE_CYCLE === String(part.cycle)
  const iteration = part.iteration === undefined || env.UMPIRE_ITERATION === String(part.iteration)
  return task && cycle && iteration
}

async function play(part: Part): Promise<void> {
  if (part.wait) await new Promise((done) => setTimeout(done, part.wait))
  for (const [path, text] of Object.entries(part.write ?? {})) await writeFile(await inside(path), text)
  for (const [path, text] of Object.entries(part.append ?? {})) await appendFile(await inside(path), text)
  for (const path of part.delete ?? []) await rm(await inside(path), { recursive: true, force: true })
  if (part.submit !== undefined) submit(part.submit)
  if (part.say !== undefined) console.log(part.say)
  process.exitCode = part.exit ?? 0
}

/** A script may be untrusted, so it can write only below the working directory. */
async function inside(path: string): Promise<string> {
  const target = resolve(path)
  const way = relative(process.cwd(), target)
  if (way === '' || way.startsWith('..') || way.split('/').includes('.git')) {
    throw new Error(`${path} is outside the working directory`)
  }
  await mkdir(dirname(target), { recursive: true })
  return target
}

function submit(review: unknown): void {
  const handed = spawnSync('umpire', ['submit', '-'], { input: JSON.stringify(review), encoding: 'utf8' })
  if (handed.status !== 0) throw new Error(`umpire submit: ${handed.stderr || handed.error?.message}`)
}
