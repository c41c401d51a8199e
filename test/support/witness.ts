/** What the witnesses of a bench (`test/fixtures/agents/witness.mjs`) were given. */
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { TestRepository } from './repository.ts'

export const witness = resolve(import.meta.dirname, '../fixtures/agents/witness.mjs')

export interface Given {
  argv: string[]
  cwd: string
  env: Record<string, string>
  stdin: string
  promptFile: string
  modes: { folder: string; prompt: string; stdout: string }
  /** What `umpire --version` printed to it, if it was called with `--tell-version`. */
  version?: string
}

/** In the order of the sessions. If a task is given, only its sessions. */
export function givenTo({ folder }: TestRepository, task?: number): Given[] {
  return readFileSync(join(folder, 'given.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line): Given => JSON.parse(line))
    .filter(({ env }) => task === undefined || env.UMPIRE_TASK === String(task))
}
