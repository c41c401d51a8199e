/** A `git` in front of the real one on the PATH. It records every call and can be made to fail or hang. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { writeScript } from './repository.ts'

export interface FakeGit {
  /** The environment with this git on the PATH. */
  env: NodeJS.ProcessEnv
  /** The commands called since the last call of this, without settings and options. */
  calls(): string[]
  /** From now on a call whose arguments contain these words runs these shell lines before the real git. */
  when(words: string, ...lines: string[]): void
}

export function makeFakeGit(folder: string): FakeGit {
  const real = execFileSync('/bin/sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim()
  const bin = join(folder, 'fake-bin')
  const log = join(bin, 'calls')
  const install = (...lines: string[]) =>
    writeScript(join(bin, 'git'), `printf '%s\\n' "$*" >> ${log}`, ...lines, `exec ${real} "$@"`)
  install()
  return {
    env: { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}` },
    calls() {
      const text = existsSync(log) ? readFileSync(log, 'utf8') : ''
      rmSync(log, { force: true })
      const lines = text.split('\n').filter((line) => line !== '')
      return lines.map((line) => line.replace(/^(-c \S+ |--bare )+/, '').split(' ')[0] ?? '')
    },
    when: (words, ...lines) => install(`case " $* " in *" ${words} "*)`, ...lines, ';; esac'),
  }
}
