/** Helpers for sandbox tests: whether there is a sandbox here, and agents that are shell scripts in the repository. */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Bench, openBench } from './umpire.ts'

/** Found before a test puts another one first on the PATH. */
export const bwrapPath = (process.env.PATH ?? '')
  .split(delimiter)
  .map((folder) => join(folder, 'bwrap'))
  .find((path) => existsSync(path))

export const hasSandbox = tryBwrap()

function tryBwrap(): boolean {
  const args = ['--unshare-pid', '--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', 'true']
  try {
    execFileSync(bwrapPath ?? 'no bwrap', args, { stdio: 'ignore' })
    return true
  } catch {
    console.warn('bwrap does not work here, so the sandbox is NOT TESTED. Install bubblewrap.')
    return false
  }
}

export interface Scripts {
  /** Lines of a shell script. `try NAME COMMAND…` prints `NAME: done` or `NAME: refused`; `$main` is the checkout. */
  developer?: string[]
  reviewer?: string[]
  /** Whether the definition says `confine: true`. */
  confine?: boolean
  config?: Record<string, unknown>
}

/** A bench whose agents run these scripts from the main checkout. */
export function openScripted({
  developer = ['echo work > work.txt'],
  reviewer = ['echo "**Verdict: APPROVED**"'],
  confine = true,
  config,
}: Scripts): Bench {
  const script = [
    'main=$(dirname "$(dirname "$0")")',
    'try() { name=$1; shift; if "$@" 2>/dev/null; then echo "$name: done"; else echo "$name: refused"; fi; }',
    'put() { echo put >> "$1"; }',
    ...['if [ "$UMPIRE_ROLE" = developer ]; then', ...developer, 'else', ...reviewer, 'fi', ''],
  ]
  return openBench({
    config: {
      roles: { developer: 'script', reviewer: 'script' },
      agents: { script: { command: ['sh', 'tools/agent.sh'], ...(confine && { confine }) } },
      limits: { agent_retries: 0 },
      ...config,
    },
    files: { 'tools/agent.sh': script.join('\n') },
  })
}

/** The result of each `try`, by name. */
export async function triedBy(
  bench: Bench,
  task: number,
  role: 'developer' | 'reviewer',
): Promise<Record<string, string>> {
  const { stdout } = await bench.umpire('log', String(task), '--role', role, '--raw')
  const found = stdout.matchAll(/^([\w -]+): (done|refused)$/gm)
  return Object.fromEntries([...found].map(([, name, came]) => [name, came]))
}
