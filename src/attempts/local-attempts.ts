/** Attempts on this machine: each has a folder, and a keeper (keeper.sh) that runs the agent and outlives Umpire. */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readRegular } from '../lib/file/read-regular.ts'
import { createAtomically, writeAtomically } from '../lib/file/write-atomically.ts'
import { isAlive, isStopped, processPlace } from '../lib/process/process-identity.ts'
import { endTree, send } from '../lib/process/process-tree.ts'
import type { AttemptSpec, Attempts } from './attempt.ts'
import {
  type AttemptFolder,
  attemptFolder,
  folderMark,
  isMissing,
  type Keeper,
  keeperMark,
  readKeeper,
  readResult,
  treeMark,
  voidKeeper,
} from './folder.ts'
import { type Ending, followAttempt } from './follow.ts'
import { readHandIns, readRefusals } from './hand-in.ts'
import { markQuiet } from './idle-and-quiet.ts'
import { answerRequest, followRequests } from './requests.ts'

/** The time between SIGTERM and SIGKILL, the same as in keeper.sh. */
const graceMs = 2000
/**
 * How long a keeper may take to publish its result after the agent's tree is gone. On a full disk it waits for space.
 */
const publishMs = 5000

/** The size limit of an attempt's own files. The list of files around a developer's tree may be long. */
const longestFile = 64 * 1024 * 1024

export interface LocalAttemptsOptions {
  /** Where the folders are, `.umpire/attempts`. */
  root: string
  /** The path of keeper.sh. */
  keeper: string
  guard?: () => Promise<void>
}

export function openLocalAttempts(options: LocalAttemptsOptions): Attempts {
  const root = resolve(options.root)
  const { guard = async () => {} } = options

  const attempts: Attempts = {
    async start(spec) {
      const folder = attemptFolder(root, spec.id)
      if (!existsSync(spec.cwd)) throw new Error(`the agent’s working directory does not exist: ${spec.cwd}`)
      const folders = [...agentsFolders(folder), folder.answers]
      for (const path of folders) await mkdir(path, { recursive: true, mode: 0o700 })
      if ((await readKeeper(folder)).kind !== 'none') return
      await writeAtomically(folder.prompt, spec.stdin)
      await writeFile(folder.refused, '', { flag: 'a', mode: 0o600 })
      await writeFiles(folder.files, spec.files ?? {})
      // Called once the folder exists: a worker that takes over the claim from now on also removes the folder, and then
      // the keeper can't win it.
      await guard().catch(async (error: unknown) => {
        await rm(folder.path, { recursive: true, force: true })
        throw error
      })
      await won(spawnKeeper(options.keeper, folder, spec), folder)
    },

    async attach(id) {
      const folder = attemptFolder(root, id)
      if ((await readResult(folder)) !== null) return 'done'
      const keeper = await readKeeper(folder)
      if (keeper.kind === 'none') return 'absent'
      if (keeper.kind === 'won' && isAlive(keeper.identity)) return 'running'
      // It may have published its result and exited since the first look.
      return (await readResult(folder)) !== null ? 'done' : 'dead'
    },

    async follow(id, watch, signal) {
      const folder = attemptFolder(root, id)
      const ending: Ending = {
        kill: () => attempts.kill(id),
        // Call the guard first: the mark must not go into an attempt that another worker owns by now.
        async finish() {
          await guard()
          await markQuiet(folder)
          await attempts.kill(id)
        },
      }
      return await followAttempt(folder, watch, ending, signal)
    },

    async prevent(id) {
      await guard()
      return (await contend(attemptFolder(root, id))) === null ? 'prevented' : 'won'
    },

    async kill(id) {
      await guard()
      const folder = attemptFolder(root, id)
      const keeper = await contend(folder)
      if (keeper) await endKeeper(keeper)
      // No keeper is recorded. If the folder was deleted by hand, its agent may still run, and must not work in
      // parallel with the next one.
      else await endTree({ name: folderMark, value: folder.path }, graceMs)
    },

    handedIn: (id) => readHandIns(root, id),
    asked: (id, signal) => followRequests(root, id, signal),
    async answer(id, number, text) {
      await guard()
      await answerRequest(root, id, number, text)
    },
    refusals: (id) => readRefusals(root, id),
    promptFile: (id) => attemptFolder(root, id).prompt,
    filesFolder: (id) => attemptFolder(root, id).files,

    readFile: (id, name) => readRegular(join(attemptFolder(root, id).files, name), longestFile),

    agentsOwn(id) {
      const folder = attemptFolder(root, id)
      return [folder.handedIn, folder.requests, folder.refused]
    },

    async list() {
      return existsSync(root) ? await readdir(root) : []
    },

    async remove(id) {
      await guard()
      if ((await attempts.attach(id)) === 'running') throw new Error(`attempt ${id} is still running`)
      await rm(attemptFolder(root, id).path, { recursive: true, force: true })
    },

    guardedBy: (guard) => openLocalAttempts({ ...options, guard }),
  }
  return attempts
}

/** Created before the start, because a sandboxed agent could not create them. */
function agentsFolders({ handedIn, requests, answers }: AttemptFolder): string[] {
  return [handedIn, requests, answers]
}

/**
 * Tries to win the attempt, so that a keeper that has been forked, or will be, finds it taken. Returns the keeper that
 * was first, if one was.
 */
async function contend(folder: AttemptFolder): Promise<(Keeper & { kind: 'won' }) | null> {
  await mkdir(folder.path, { recursive: true, mode: 0o700 })
  const outcome = await createAtomically(folder.keeper, voidKeeper).catch((error: unknown) => {
    // Another process has just stopped and removed it.
    if (isMissing(error)) return 'created' as const
    throw error
  })
  if (outcome === 'created') return null
  const keeper = await readKeeper(folder)
  return keeper.kind === 'won' ? keeper : null
}

async function endKeeper({ identity, mark }: Keeper & { kind: 'won' }): Promise<void> {
  const agent = { name: treeMark, value: mark }
  // While the keeper lives, an agent that cleared its environment is still found as its child.
  const kept = { ...agent, under: identity.pid, sparing: keeperMark }
  if (isAlive(identity)) await endTree(kept, graceMs)
  for (const since = performance.now(); isAlive(identity); await sleep(10)) {
    if (isStopped(identity) || performance.now() - since > publishMs) send(identity.pid, 'SIGKILL')
    // The keeper may have been about to start the agent during the last look.
    else await endTree(kept, graceMs)
  }
  // A killed keeper leaves its watcher, and perhaps an agent that it had just forked.
  await endTree({ name: keeperMark, value: mark }, 0)
  await endTree(agent, graceMs)
}

function spawnKeeper(script: string, folder: AttemptFolder, spec: AttemptSpec): ChildProcess {
  const { boot, namespace } = processPlace()
  const args = [script, folder.path, `${spec.limitMs / 1000}`, `${boot} ${namespace}`, ...spec.argv]
  return spawn('/bin/sh', args, {
    cwd: spec.cwd,
    env: { ...keeperEnvironment(spec), [folderMark]: folder.path },
    detached: true,
    stdio: 'ignore',
  })
}

/**
 * A shell keeps only variables whose names are identifiers, so the others are packed into one variable. If this process
 * itself runs in an attempt, the keeper keeps that attempt's mark: what an agent starts is stopped with the agent.
 */
function keeperEnvironment(spec: AttemptSpec): Record<string, string> {
  const entries = Object.entries(spec.env)
  const isIdentifier = ([name]: [string, string]) => /^[A-Za-z_]\w*$/.test(name)
  const others = entries.filter((entry) => !isIdentifier(entry) && !entry.join('').includes('\x1f'))
  const env = Object.fromEntries(entries.filter(isIdentifier))
  delete env[treeMark]
  const outer = process.env[treeMark]
  return {
    ...env,
    ...(outer === undefined ? {} : { [treeMark]: outer }),
    UMPIRE_ATTEMPT: spec.id,
    [keeperMark]: randomUUID(),
    UMPIRE_KEEPER_ENV: others.map(([name, value]) => `${name}=${value}`).join('\x1f'),
  }
}

/** Waits until this keeper or another has won the attempt. */
async function won(keeper: ChildProcess, folder: AttemptFolder): Promise<void> {
  let ended: 'no' | 'yes' | Error = 'no'
  keeper.once('exit', () => {
    ended = 'yes'
  })
  keeper.once('error', (error) => {
    ended = error
  })
  keeper.unref()
  const state = () => ended
  while (!existsSync(folder.keeper)) {
    const now = state()
    if (now instanceof Error) throw now
    if (now === 'yes' && !existsSync(folder.keeper)) {
      // Write here again, so that the file system reports the reason.
      await writeFile(`${folder.keeper}.probe`, voidKeeper.repeat(1000)).catch((error: unknown) => {
        if (!isMissing(error)) throw error
      })
      throw new Error(`the keeper could not write to ${folder.path}`)
    }
    await sleep(2)
  }
}

async function writeFiles(folder: string, files: Record<string, string>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name)
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    await writeAtomically(path, content)
  }
}
