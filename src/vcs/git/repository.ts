/** Finds the repository that a folder belongs to, and the `.umpire` folder that all its checkouts share. */
import { appendFile, mkdir, readFile, realpath } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { UserError } from '../../core/errors.ts'
import { defaultGitLimits, lastWords, openGitRun, type RunGit } from './run.ts'

export interface GitRepository {
  /** The top of the current checkout. */
  root: string
  /** The git folder that all worktrees share. */
  common: string
  /** `.umpire` in the main checkout, also when asked from a linked worktree. */
  home: string
}

/** UserError when there is no git, no repository, or one without a main checkout. */
export async function findRepository(
  cwd: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<GitRepository> {
  const run = openGitRun(env, defaultGitLimits)
  const questions = ['--is-bare-repository', '--git-dir', '--git-common-dir', '--show-toplevel']
  const found = await run(['rev-parse', ...questions], { cwd, ok: [0, 128] })
  const [bare, gitDir, commonDir, root] = found.stdout.toString('utf8').split('\n')
  if (!bare || !gitDir || !commonDir) throw notARepository(cwd, lastWords(found))
  if (bare === 'true') throw bareRepository()
  if (found.code !== 0 || !root) {
    throw new UserError(
      `${cwd} is in a repository's git folder, not in a checkout.`,
      'Change to the checkout first.',
    )
  }
  const common = await realpath(resolve(cwd, commonDir))
  const isMain = (await realpath(resolve(cwd, gitDir))) === common
  return { root, common, home: join(isMain ? root : await mainCheckout(common, run), '.umpire') }
}

/** Makes git ignore `.umpire` in every checkout, without touching a tracked file. Repeating it changes nothing. */
export async function excludeHome(common: string): Promise<void> {
  const file = join(common, 'info', 'exclude')
  const text = await readFile(file, 'utf8').catch((error) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
  if (text.split(/\r?\n/).includes('/.umpire/')) return
  await mkdir(dirname(file), { recursive: true })
  await appendFile(file, `${text === '' || text.endsWith('\n') ? '' : '\n'}/.umpire/\n`)
}

/** Whether git ignores it, because of our own line or any other. */
export async function isHomeExcluded(home: string, env: NodeJS.ProcessEnv = process.env): Promise<boolean> {
  const run = openGitRun(env, defaultGitLimits)
  const { code } = await run(['check-ignore', '-q', home], { cwd: dirname(home), ok: [0, 1] })
  return code === 0
}

/** A linked worktree knows only the common git folder. The main checkout follows from that. */
async function mainCheckout(common: string, run: RunGit): Promise<string> {
  const args = ['config', '--file', join(common, 'config'), '--get-regexp', '^core\\.(bare|worktree)$']
  const { stdout } = await run(args, { cwd: common, ok: [0, 1] })
  const config = stdout.toString('utf8')
  if (/^core\.bare true$/m.test(config)) throw bareRepository()
  const set = /^core\.worktree (.+)$/m.exec(config)?.[1]
  if (set) return resolve(common, set)
  if (basename(common) === '.git') return dirname(common)
  throw new UserError(
    `The main checkout of ${common} can't be found from this worktree.`,
    'Start Umpire in the main checkout.',
  )
}

function notARepository(cwd: string, words: string): UserError {
  if (/dubious ownership/.test(words)) {
    return new UserError(
      `Git does not trust the repository of ${cwd}, because it belongs to another user.`,
      `If you trust it: git config --global --add safe.directory ${JSON.stringify(cwd)}`,
    )
  }
  if (!/not a git repository/.test(words))
    return new UserError(`Git can't read the repository of ${cwd}: ${words}`)
  return new UserError(
    `${cwd} is not in a git repository.`,
    'Change to your repository, or create one with git init.',
  )
}

function bareRepository(): UserError {
  return new UserError(
    'This is a bare repository. Umpire needs a repository with a main checkout.',
    'Clone it without --bare and start Umpire there.',
  )
}
