/** Gathers what the pure parts of `setup/` decide on: names of files, and the text of the few that tell something. */
import { lstat, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Repository } from '../app/repository.ts'
import { ignoredFolders, surveyCheckout } from '../vcs/git/survey.ts'
import { filledFolders, isTelling, type ProjectFiles } from './toolchains/project-files.ts'

/** No file that says how a project is built is longer; what is, is taken for something else. */
const mostBytes = 512 * 1024
const mostTexts = 200

export async function readProject({ root, env }: Repository): Promise<ProjectFiles> {
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

/** Nothing for what can't be read: a link, a pipe, a file that was just deleted. */
async function readSmall(path: string): Promise<string> {
  try {
    const found = await lstat(path)
    return found.isFile() && found.size <= mostBytes ? await readFile(path, 'utf8') : ''
  } catch {
    return ''
  }
}
