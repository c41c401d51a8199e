/**
 * The prefix for a command that must reach nothing but loopback, and whose processes must all end with it. Empty if the
 * system does not allow that.
 */
import { spawnSync } from 'node:child_process'

export function findIsolation() {
  const user = process.getuid?.() === 0 ? [] : ['-r']
  const [program, ...args] = [
    ...['unshare', ...user, '-n', '-p', '-f', '--mount-proc', '--kill-child'],
    // The shell stays, because a process has to reap the orphans.
    ...['sh', '-c', 'ip link set lo up && { "$@"; exit $?; }', 'sh'],
  ]
  return spawnSync(program, [...args, 'true'], { stdio: 'ignore' }).status === 0 ? [program, ...args] : []
}
