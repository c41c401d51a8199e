/** States of a repository in which Umpire does not work, or works differently than a person may expect. */
import { readConfig } from '../app/read-config.ts'
import type { Repository } from '../app/repository.ts'
import { listed } from '../core/listed.ts'
import { submoduleCommand } from '../setup/toolchains/propose.ts'
import { type Condition, readCondition } from '../vcs/git/survey.ts'
import { doubtful, type Finding, fine, wrong } from './finding.ts'

export async function examineRepository({ root, env }: Repository): Promise<Finding[]> {
  const { head, shallow, submodules } = await readCondition(root, env)
  return [
    fine('repository', root),
    examineHead(head),
    ...(shallow ? [shallowClone] : []),
    ...(submodules.length > 0 ? [examineSubmodules(submodules, await configuredSetup({ root, env }))] : []),
  ]
}

function examineHead(head: Condition['head']): Finding {
  const name = 'branch'
  switch (head.on) {
    case 'branch':
      return fine(name, `new tasks start from ${head.branch}`)
    case 'commit':
      return wrong(
        name,
        `HEAD is detached at ${head.commit.slice(0, 10)}, so no new task can be started`,
        'Switch to the branch that the work is for: git switch BRANCH.',
      )
    case 'nothing':
      return wrong(
        name,
        'the repository has no commits yet, so a task has nothing to start from',
        'Make the first commit: git add --all && git commit, or git commit --allow-empty.',
      )
  }
}

const shallowClone = doubtful(
  'history depth',
  'the clone is shallow: tasks work, but agents see only part of the history, and old branches may not merge',
  'To get the whole history: git fetch --unshallow.',
)

/** Another finding reports wrong settings. */
async function configuredSetup({ root, env }: Pick<Repository, 'root' | 'env'>): Promise<string[]> {
  return readConfig({ root, env }).then(
    ({ config }) => config.worktree.setup,
    () => [],
  )
}

function examineSubmodules(paths: string[], setup: string[]): Finding {
  const name = 'submodules'
  const shown = listed(paths)
  if (setup.some((command) => command.includes('submodule')))
    return fine(name, `${shown}: worktree.setup mentions them; reviewers never see their content`)
  return doubtful(
    name,
    `${shown}: these folders are empty in a task's worktree, and reviewers never see their content`,
    `If tasks need them, add "${submoduleCommand}" to worktree.setup.`,
  )
}
