/**
 * Finds and stops process trees by a variable in their environment. A parent's death, setsid and a new process group do
 * not change the environment a process was started with, so nothing escapes. Descendants are included, because some
 * programs start their children with a different environment.
 */
import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { hasProc, readEnvironment, readStat } from './process-identity.ts'

/** A process that survives SIGKILL for this long hangs in the kernel. It runs no more code, so it is given up. */
const unkillableMs = 10_000
/** Requests within this time share one scan of the process table: a hundred trees may be stopped at once. */
const gatherMs = 10

/** Which processes belong to a tree. This process never does. */
export interface Tree {
  /** Processes that have exactly `name=value`, or descend from one that does. */
  name: string
  value: string
  /** This process's descendants also belong to the tree, whatever their environment. The process itself does not. */
  under?: number
  /** Processes that have the value under this name are left out, along with their descendants. */
  sparing?: string
}

export async function findTree(tree: Tree): Promise<number[]> {
  const processes = await look()
  const carriers = (name: string) => {
    const wanted = Buffer.from(`${name}=${tree.value}`)
    return [...processes].filter(([, { environment }]) => carries(environment, wanted)).map(([pid]) => pid)
  }
  const children = new Map<number, number[]>()
  for (const [pid, { parent }] of processes) children.set(parent, [...(children.get(parent) ?? []), pid])

  const spared = new Set(tree.sparing === undefined ? [] : carriers(tree.sparing))
  spared.add(process.pid)
  const found = new Set([...carriers(tree.name), ...(children.get(tree.under ?? -1) ?? [])])
  // Iterating over a set includes what is added meanwhile.
  for (const pid of found) {
    if (spared.has(pid)) found.delete(pid)
    else for (const child of children.get(pid) ?? []) if (!spared.has(child)) found.add(child)
  }
  return [...found]
}

/** SIGTERM, a grace period, SIGKILL. Repeats until nothing is left. */
export async function endTree(tree: Tree, graceMs: number): Promise<void> {
  const started = performance.now()
  const asked = new Set<number>()
  for (;;) {
    const pids = await findTree(tree)
    const waited = performance.now() - started
    if (pids.length === 0 || waited > graceMs + unkillableMs) return
    for (const pid of pids) {
      if (waited >= graceMs) send(pid, 'SIGKILL')
      else if (!asked.has(pid)) send(pid, 'SIGTERM')
      asked.add(pid)
    }
    await sleep(Math.min(20 + waited / 10, 100))
  }
}

/** A process that is gone, or belongs to another user, can't be signalled. That is not an error here. */
export function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {}
}

interface Process {
  parent: number
  environment: Buffer
}

let next: Promise<Map<number, Process>> | null = null

function look(): Promise<Map<number, Process>> {
  next ??= sleep(gatherMs).then(() => {
    next = null
    return hasProc ? readProc() : readPs()
  })
  return next
}

function readProc(): Map<number, Process> {
  const processes = new Map<number, Process>()
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const pid = Number(name)
    const stat = readStat(pid)
    if (stat === null || /[ZXx]/.test(stat.state)) continue
    processes.set(pid, { parent: stat.parent, environment: readEnvironment(pid) })
  }
  return processes
}

/**
 * Without /proc, `ps -E` appends the environment to the command, separated by blanks. So it works for values without
 * blanks.
 */
function readPs(): Map<number, Process> {
  const processes = new Map<number, Process>()
  const args = ['-A', '-E', '-ww', '-o', 'pid=,ppid=,stat=,command=']
  const table = execFileSync('ps', args, { encoding: 'utf8', maxBuffer: 1 << 28 })
  for (const line of table.split('\n')) {
    const [, pid, parent, state, command] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? []
    if (command === undefined || state?.startsWith('Z')) continue
    processes.set(Number(pid), {
      parent: Number(parent),
      environment: Buffer.from(command.replaceAll(' ', '\0')),
    })
  }
  return processes
}

function carries(environment: Buffer, wanted: Buffer): boolean {
  for (let at = environment.indexOf(wanted); at !== -1; at = environment.indexOf(wanted, at + 1)) {
    const end = at + wanted.length
    if ((at === 0 || environment[at - 1] === 0) && (end === environment.length || environment[end] === 0))
      return true
  }
  return false
}
