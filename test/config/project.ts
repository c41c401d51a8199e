import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type LoadedConfig, loadConfig } from '../../src/config/load-config.ts'
import { UserError } from '../../src/core/errors.ts'

export interface Project {
  root: string
  /** The folder of the person's own config.yaml. */
  home: string
  load(): Promise<LoadedConfig>
  /** The lines of the error that loading throws, without its heading. */
  problems(): Promise<string[]>
}

/** A project folder with these files. `home/…` goes to the folder of the person's own config.yaml. */
export async function project(files: Record<string, string | Uint8Array> = {}): Promise<Project> {
  const top = mkdtempSync(join(tmpdir(), 'umpire-config-'))
  onTestFinished(() => rmSync(top, { recursive: true, force: true }))
  const root = join(top, 'project')
  const home = join(top, 'home')
  await mkdir(root)
  for (const [name, content] of Object.entries(files)) {
    const file = name.startsWith('home/') ? join(top, name) : join(root, name)
    await mkdir(dirname(file), { recursive: true })
    writeFileSync(file, content)
  }
  const load = () => loadConfig({ root, home })
  return { root, home, load, problems: async () => problemsOf(load()) }
}

async function problemsOf(loading: Promise<LoadedConfig>): Promise<string[]> {
  const error = await loading.then(
    () => null,
    (reason: unknown) => reason,
  )
  if (!(error instanceof UserError)) throw new Error(`no UserError, but ${error}`)
  const [heading, ...lines] = error.message.split('\n')
  if (heading !== 'invalid configuration:') throw new Error(`strange heading: ${heading}`)
  return lines
}

/** The configuration of a project with this one file. */
export async function configOf(yaml: string): Promise<LoadedConfig['config']> {
  return (await (await project({ 'umpire.yaml': yaml })).load()).config
}

/** The problems that loading reports in this one file. */
export async function problemsIn(yaml: string): Promise<string[]> {
  return await (await project({ 'umpire.yaml': yaml })).problems()
}
