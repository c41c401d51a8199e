/**
 * Runs the built command on a real terminal, using `script` from util-linux, which most Linux systems have. If it is
 * missing, these tests are skipped, with a warning.
 */
import { spawn, spawnSync } from 'node:child_process'
import { type Bench, builtCommand, overChild, type Running } from './umpire.ts'

const found = spawnSync('script', ['--version'], { encoding: 'utf8' })

export const hasTerminal = found.status === 0 && found.stdout.includes('util-linux')
if (!hasTerminal) console.warn('SKIPPED: what a real terminal shows; there is no `script` of util-linux here')

export interface OnTerminal extends Running {
  type(keys: string): void
}

export interface TerminalOptions {
  columns?: number
  rows?: number
  env?: Record<string, string>
}

/** Its output to the terminal is `stdout`, with a terminal's line endings. */
export function startOnTerminal(bench: Bench, args: string[], options: TerminalOptions = {}): OnTerminal {
  const { columns = 80, rows = 24, env = {} } = options
  const words = [process.execPath, builtCommand, ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`)
  const command = `stty cols ${columns} rows ${rows}; exec ${words.join(' ')}`
  const child = spawn('script', ['-q', '-e', '-c', command, '/dev/null'], {
    cwd: bench.root,
    env: { ...bench.env, TERM: 'xterm-256color', SHELL: '/bin/sh', ...env },
    stdio: 'pipe',
  })
  child.stdin.on('error', () => {})
  return { ...overChild(child), type: (keys) => void child.stdin.write(keys) }
}
