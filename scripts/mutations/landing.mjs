/** What Umpire merges, and what it may remove afterwards. */
/** @type {import('../mutations.mjs').Mutation[]} */
export const landing = [
  {
    name: 'what the gates say of the merged tree does not count for landing',
    replace: 'if (results[index]?.passed !== false) continue',
    by: 'if (results[index]) continue',
    tests: ['test/e2e/landing-conflicts.test.ts', '-t', 'only on the merged tree'],
  },
  {
    name: 'a branch that nobody reviewed as it is now is landing',
    replace: '  await checkBranch(loop, ports)\n  const into',
    by: '  void checkBranch\n  const into',
    tests: ['test/e2e/landing-dirty.test.ts', '-t', 'since its approval'],
  },
  {
    name: 'marks of conflicts are committed before landing',
    replace: '  await requireResolved(checkout, seen)\n',
    by: '  void requireResolved\n',
    tests: ['test/vcs/git-commit.test.ts', '-t', 'still has conflicts'],
  },
  {
    name: 'changes in the checkout do not keep a landing away',
    replace: 'if (changed.length === 0 || (await holdsAlready(git, path, to))) return null',
    by: 'if (changed.length >= 0 || (await holdsAlready(git, path, to))) return null',
    tests: ['test/e2e/landing-dirty.test.ts', '-t', 'not staged'],
  },
  {
    name: 'one more conflict than allowed is given to a resolver',
    replace: 'setbacks.conflicts < mostConflicts',
    by: 'setbacks.conflicts <= mostConflicts',
    tests: ['test/core'],
  },
  {
    name: 'work is sent back for a gate that fails without it',
    replace: "landing.kind === 'gate' && !landing.alone",
    by: "landing.kind === 'gate'",
    tests: ['test/core'],
  },
  {
    name: 'what is missing in the object store is landing',
    replace: 'await requireWhole(git, from, to)',
    by: 'void requireWhole',
    tests: ['test/vcs/git-advance.test.ts', 'test/vcs/git-verify-objects.test.ts'],
  },
  {
    name: 'a worktree goes whose log alone knows a commit',
    replace: "if (await hasStrayCommits(git, checkout.gitDir)) return 'kept'\n",
    by: 'void hasStrayCommits\n',
    tests: ['test/vcs/git-drop-worktree.test.ts'],
  },
  {
    name: 'a worktree stays when git meets another one that is just being made',
    replace: 'metHalfMade(result) || (',
    by: '(metHalfMade(result) && !isAnswer) || (',
    tests: ['test/vcs/git-run.test.ts'],
  },
  {
    name: 'a branch goes that its base does not have',
    replace: 'if (was === null || (await isMerged(git, place, was))) return null',
    by: 'if (was === null || place) return null',
    tests: ['test/vcs/git-remove-work.test.ts'],
  },
  {
    name: "a commit's trailer is not looked at",
    replace: "return message.split('\\n').includes(trailerOf(attempt))",
    by: "return message.split('\\n').includes('') && trailerOf(attempt) === ''",
    tests: ['test/vcs/git-commit.test.ts', '-t', 'after a crash'],
  },
]
