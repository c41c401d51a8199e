/**
 * Identifies a process by pid, start time, boot and pid namespace. So a reused pid, a reboot or another container can't
 * be mistaken for it. The text form is one line, `pid start boot namespace`. An attempt's keeper (attempts/keeper.sh)
 * writes the same.
 *
 * On Linux all of it comes from /proc. Elsewhere the start time is what `ps` prints, which includes the date, and boot
 * and namespace are `-`.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, readlinkSync } from 'node:fs'

export interface ProcessIdentity {
  pid: number
  start: string
  boot: string
  /** The pid namespace in which `pid` is counted. */
  namespace: string
}

/** `stopped` is alive, but frozen by SIGSTOP or Ctrl-Z. A zombie is gone. */
export type ProcessState = 'running' | 'stopped' | 'gone'

/** Null if there is no such process, or only its zombie. */
export function identify(pid: number = process.pid): ProcessIdentity | null {
  const status = readStatus(pid)
  return status === null || status.state === 'gone' ? null : { pid, start: status.start, ...processPlace() }
}

export function processState(identity: ProcessIdentity): ProcessState {
  const { boot, namespace } = processPlace()
  if (identity.boot !== boot || identity.namespace !== namespace) return 'gone'
  const status = readStatus(identity.pid)
  return status === null || status.start !== identity.start ? 'gone' : status.state
}

export function isAlive(identity: ProcessIdentity): boolean {
  return processState(identity) !== 'gone'
}

export function isStopped(identity: ProcessIdentity): boolean {
  return processState(identity) === 'stopped'
}

export function sameProcess(a: ProcessIdentity, b: ProcessIdentity): boolean {
  return formatIdentity(a) === formatIdentity(b)
}

export function formatIdentity(identity: ProcessIdentity): string {
  return `${identity.pid} ${identity.start} ${identity.boot} ${identity.namespace}`
}

export function parseIdentity(text: string): ProcessIdentity | null {
  const [, pid, start, boot, namespace] = /^([1-9]\d*) (\S+) (\S+) (\S+)$/.exec(text) ?? []
  if (pid === undefined || start === undefined || boot === undefined || namespace === undefined) return null
  return { pid: Number(pid), start, boot, namespace }
}

export interface ProcessPlace {
  boot: string
  namespace: string
}

let place: ProcessPlace | undefined

/** Where this process runs. That can't change during its life. */
export function processPlace(): ProcessPlace {
  place ??= hasProc
    ? {
        boot: readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(),
        namespace: readlinkSync('/proc/self/ns/pid'),
      }
    : { boot: '-', namespace: '-' }
  return place
}

/** The values of a variable in the given environment, this process's own and those of its ancestors, nearest first. */
export function ancestorsEnvironment(name: string, env: NodeJS.ProcessEnv = process.env): string[] {
  const own = env[name]
  const values = own === undefined ? [] : [own]
  if (!hasProc) return values
  for (let pid = process.pid; pid > 0; pid = readStat(pid)?.parent ?? 0) {
    const entry = readEnvironment(pid)
      .toString('utf8')
      .split('\0')
      .find((line) => line.startsWith(`${name}=`))
    if (entry !== undefined) values.push(entry.slice(name.length + 1))
  }
  return [...new Set(values)]
}

export const hasProc = existsSync('/proc/self/stat')

export interface ProcStat {
  state: string
  parent: number
  start: string
}

/** /proc/PID/stat, or null if there is no such process. A program's name may contain anything, even a `)`. */
export function readStat(pid: number): ProcStat | null {
  let text: string
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'latin1')
  } catch {
    return null
  }
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const [state, parent, start] = [fields[0], fields[1], fields[19]]
  if (state === undefined || parent === undefined || start === undefined) return null
  return { state, parent: Number(parent), start }
}

/** The environment a process was started with, entries terminated by NUL. Empty if it may not be read. */
export function readEnvironment(pid: number): Buffer {
  try {
    return readFileSync(`/proc/${pid}/environ`)
  } catch {
    return Buffer.alloc(0)
  }
}

function readStatus(pid: number): { state: ProcessState; start: string } | null {
  if (hasProc) {
    const stat = readStat(pid)
    return stat && { state: stateOf(stat.state), start: stat.start }
  }
  try {
    // lstart prints local time in the local language. The keeper asks with the same two settings.
    const env = { ...process.env, TZ: 'UTC', LC_ALL: 'C' }
    const [state, ...start] = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', `${pid}`], {
      encoding: 'utf8',
      env,
    })
      .trim()
      .split(/\s+/)
    return state === undefined ? null : { state: stateOf(state), start: start.join('_') }
  } catch {
    return null
  }
}

function stateOf(letters: string): ProcessState {
  if (/^[ZXx]/.test(letters)) return 'gone'
  return letters.startsWith('T') ? 'stopped' : 'running'
}
