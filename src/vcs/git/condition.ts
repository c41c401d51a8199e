/** In which of the states that matter to Umpire a repository is. Nothing is changed. */
import { defaultGitLimits, openGitRun } from './run.ts'

export interface Condition {
  head: { on: 'branch'; branch: string } | { on: 'commit'; commit: string } | { on: 'nothing' }
  /** The history is cut off somewhere. */
  shallow: boolean
  /** The paths of submodules, from the top. */
  submodules: string[]
}

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
