/** `umpire init`: looks at the checkout, drafts an `umpire.yaml`, and writes it if there is none yet. */
import { lstatSync } from 'node:fs'
import { lstat, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { chooseAgent, installedAgents } from '../app/agents/choose-agent.ts'
import { readConfig } from '../app/read-config.ts'
import type { Repository } from '../app/repository.ts'
import { UserError } from '../core/errors.ts'
import { createAtomically } from '../lib/file/write-atomically.ts'
import { findProgram } from '../lib/process/exec.ts'
import { ignoredFolders, surveyCheckout } from '../vcs/git/survey.ts'
import { type ChosenAgent, type Draft, draftSetup } from './draft.ts'
import { renderConfig } from './render-config.ts'
import { propose } from './toolchains/propose.ts'
import { filledFolders, isTelling, type ProjectFiles } from './toolchains/toolchain.ts'

export interface FoundSetup {
  draft: Draft
  /** What the project is made of, in words for the person: `JavaScript (npm)`. */
  found: string[]
  /** What will not work yet, one sentence each. */
  warnings: string[]
  /** Built-in agents that can take a role here. */
  drivable: string[]
}

/** Throws a UserError if `umpire.yaml` already exists, or if the user's other settings are wrong. */
export async function findSetup(
  repository: Repository,
  agent: string | null,
  cwd: string,
): Promise<FoundSetup> {
  const { root, env } = repository
  if (lstatSync(configPath(root), { throwIfNoEntry: false })) throw alreadyThere(root)
  const { roles } = (await readConfig({ root, env })).config
  const elsewhere = { developer: roles.developer?.agent ?? null, reviewer: roles.reviewer?.agent ?? null }
  const wished: ChosenAgent | null = agent === null ? null : chooseAgent(agent, cwd, repository)
  const proposal = propose(await readProject(repository))
  const drivable = installedAgents(env.PATH).map((built) => built.name)
  const missing = proposal.needs.filter((program) => findProgram(program, env.PATH) === null)
  return {
    draft: draftSetup(proposal, drivable, wished, elsewhere),
    found: proposal.found,
    warnings: [
      ...missing.map((program) => `${program} is not on the PATH, but the commands need it.`),
      ...proposal.unignored.map(
        (folder) => `${folder} is not ignored by git, so it would be committed. Add it to .gitignore.`,
      ),
    ],
    drivable,
  }
}

/** Writes the file completely or not at all, never overwrites one, and checks that it can be read. Returns its path. */
export async function writeSetup({ root, env }: Repository, draft: Draft): Promise<string> {
  const path = configPath(root)
  if ((await createAtomically(path, renderConfig(draft), 0o644)) === 'exists') throw alreadyThere(root)
  try {
    await readConfig({ root, env })
  } catch (error) {
    await rm(path, { force: true })
    throw error
  }
  return path
}

function configPath(root: string): string {
  return join(root, 'umpire.yaml')
}

function alreadyThere(root: string): UserError {
  return new UserError(
    `${configPath(root)} already exists, so nothing was written.`,
    'umpire config shows its settings. Edit the file, or move it away and run umpire init again.',
  )
}

/** Gathers the input of the pure parts of `setup/`: names of files, and the text of the few that matter. */

/** No build file is longer than this. A longer file must be something else. */
const mostBytes = 512 * 1024
const mostTexts = 200

async function readProject({ root, env }: Repository): Promise<ProjectFiles> {
  const { names, untracked } = await surveyCheckout(root, env)
  const telling = names.filter(isTelling).slice(0, mostTexts)
  const texts = await Promise.all(
    telling.map(async (name) => [name, await readSmall(join(root, name))] as const),
  )
  const folders = new Set(telling.map((name) => (name.includes('/') ? `${name.split('/')[0]}/` : '')))
  const filled = [...folders].flatMap((folder) => filledFolders.map((name) => `${folder}${name}`))
  return {
    names: new Set(names),
    texts: new Map(texts),
    untracked,
    ignored: new Set(filled.length > 0 ? await ignoredFolders(root, filled, env) : []),
  }
}

/** Empty for what can't be read: a link, a pipe, a file that was just deleted. */
async function readSmall(path: string): Promise<string> {
  try {
    const found = await lstat(path)
    return found.isFile() && found.size <= mostBytes ? await readFile(path, 'utf8') : ''
  } catch {
    return ''
  }
}
