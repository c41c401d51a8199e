import { openGit } from '../../src/vcs/git/open-git.ts'
import { describeVcs } from '../contract/vcs.ts'
import { gitIn, makeRepository } from '../support/repository.ts'

describeVcs('git', (files) => {
  const repository = makeRepository(files)
  return {
    vcs: openGit({ cwd: repository.root, home: repository.home }),
    root: repository.root,
    home: repository.home,
    commitToBase: (more) => void repository.commit('Meanwhile', more),
    commitIn(worktree, message) {
      gitIn(worktree, 'add', '-A')
      gitIn(worktree, 'commit', '-q', '-m', message)
    },
    rewindIn: (worktree) => void gitIn(worktree, 'reset', '-q', '--hard', 'HEAD~1'),
    remove: () => repository.remove(),
  }
})
