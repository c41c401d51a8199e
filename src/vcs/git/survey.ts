/** Reads the files of a checkout and the state of its repository, as git sees them. Changes nothing. */
import { defaultGitLimits, openGitRun } from './run.ts'

export interface Survey {
  /** Files that git tracks or would track, relative to the top. */
  names: string[]
  /** Files that git does not track, ignored or not. A folder that is ignored as a whole ends in a slash. */
  untracked: string[]
}

export async function surveyCheckout(root: string, env: NodeJS.ProcessEnv = process.env): Promise<Survey> {
  const run = openGitRun(env, defaultGitLimits)
  const list = async (...args: string[]) => {
    const { stdout } = await run(['ls-files', '-z', ...args], { cwd: root })
    return stdout
      .toString('utf8')
      .split('\0')
      .filter((path) => path !== '')
  }
  const [tracked, fresh, ignored] = await Promise.all([
    list('--cached'),
    list('--others', '--exclude-standard'),
    // Folders as a whole, because the contents of a package folder do not matter here.
    list('--others', '--ignored', '--exclude-standard', '--directory'),
  ])
  return { names: [...tracked, ...fresh], untracked: [...fresh, ...ignored] }
}

/** The folders that git would ignore, even if they do not exist. */
export async function ignoredFolders(
  root: string,
  folders: string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<string[]> {
  const run = openGitRun(env, defaultGitLimits)
  // With a slash at the end, because many ignore rules match only folders.
  const stdin = folders.map((folder) => `${folder}/\0`).join('')
  const { stdout } = await run(['check-ignore', '-z', '--stdin'], { cwd: root, stdin, ok: [0, 1] })
  return stdout
    .toString('utf8')
    .split('\0')
    .flatMap((path) => (path === '' ? [] : [path.replace(/\/$/, '')]))
}

export interface Condition {
  head: { on: 'branch'; branch: string } | { on: 'commit'; commit: string } | { on: 'nothing' }
  /** The history is cut off somewhere. */
  shallow: boolean
  /** The paths of submodules, from the top. */
  submodules: string[]
}

/** The states of a repository that matter to Umpire. */
export async function readCondition(root: string, env: NodeJS.ProcessEnv = process.env): Promise<Condition> {
  const run = openGitRun(env, defaultGitLimits)
  const ask = async (...args: string[]) => {
    const { code, stdout } = await run(args, { cwd: root, ok: [0, 1, 128] })
    return code === 0 ? stdout.toString('utf8') : ''
  }
  const [commit, branch, shallow, index] = await Promise.all([
    ask('rev-parse', '--verify', '-q', 'HEAD^{commit}'),
    ask('symbolic-ref', '--short', '-q', 'HEAD'),
    ask('rev-parse', '--is-shallow-repository'),
    ask('ls-files', '-z', '--stage'),
  ])
  return {
    head: headOf(commit.trim(), branch.trim()),
    shallow: shallow.trim() === 'true',
    submodules: index.split('\0').flatMap((entry) => /^160000 [^\t]*\t(.+)$/s.exec(entry)?.[1] ?? []),
  }
}

function headOf(commit: string, branch: string): Condition['head'] {
  if (commit === '') return { on: 'nothing' }
  return branch === '' ? { on: 'commit', commit } : { on: 'branch', branch }
}
