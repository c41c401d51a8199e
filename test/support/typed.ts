/** Types a command line into a shell in the user's checkout, as a user would who read it on the screen. */
import { spawn } from 'node:child_process'
import { delimiter, dirname, join } from 'node:path'
import { type Bench, builtCommand } from './umpire.ts'

export interface Typed {
  code: number | null
  output: string
}

export function typed({ root, folder }: Bench, command: string): Promise<Typed> {
  const PATH = [join(dirname(builtCommand), 'bin'), dirname(process.execPath), process.env.PATH].join(
    delimiter,
  )
  const home = { HOME: join(folder, 'home'), TMPDIR: folder, BENCH: folder, GIT_CONFIG_NOSYSTEM: '1' }
  const child = spawn('/bin/sh', ['-c', command], {
    cwd: root,
    env: { PATH, ...home },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  return new Promise((done, fail) => {
    child.once('error', fail)
    child.once('close', (code) => done({ code, output }))
  })
}
