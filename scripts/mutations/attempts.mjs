/** Agents, their keepers, and workers that die or lose their claim. */
/** @type {import('../mutations.mjs').Mutation[]} */
export const attempts = [
  {
    name: 'the keeper runs the agent although another keeper has the link',
    replace: '[ "$k_winner" = "$k_mark" ] && return\n',
    by: 'return 0\n',
    tests: ['test/attempts', '-t', 'however often it is started|after a kill before the start'],
  },
  {
    name: 'the keeper leaves running what its agent started',
    replace: 'wait $k_watcher\nk_self=$$\nend_tree\n',
    by: 'wait $k_watcher\nk_self=$$\n',
    tests: ['test/attempts/local-attempts.test.ts'],
  },
  {
    name: 'the end at the limit passes for one of its own accord',
    replace: 'k_how=overdue',
    by: 'k_how=exited',
    tests: ['test/attempts/local-attempts.test.ts'],
  },
  {
    name: 'everybody may read the files of an attempt',
    replace: 'umask 077',
    by: 'umask 022',
    tests: ['test/attempts/local-attempts.test.ts', '-t', 'to their owner'],
  },
  {
    name: 'an agent that is not installed is told apart by the shell alone',
    replace: 'if is_nowhere "$1"; then',
    by: 'if false; then',
    tests: ['test/attempts/no-such-program.test.ts'],
  },
  {
    name: 'a second hand-in that contradicts the first is lost',
    replace: "if ((await readHandIn(first))?.body === body) return 'already-handed-in'",
    by: "if ((await readHandIn(first)) !== null) return 'already-handed-in'",
    tests: ['test/attempts/local-attempts.test.ts'],
  },
  {
    name: 'a worker that was taken over goes on appending',
    replace: 'if (now?.claim?.worker === worker) return now',
    by: 'if (now?.claim && worker) return now',
    tests: ['test/crash/freeze.test.ts'],
  },
  {
    name: 'what a step notes meanwhile is recorded although another worker has the loop',
    replace: 'if (!now || now.claim?.worker !== loop.claim?.worker) return null',
    by: 'if (!now) return null',
    tests: ['test/loop/record.test.ts'],
  },
  {
    name: 'observers are not told what was appended',
    replace: '    books.observe(stored)\n',
    by: '',
    tests: ['test/loop/record.test.ts'],
  },
  {
    name: 'a worker that was taken over goes on changing the world',
    replace: 'if (loop?.claim?.worker !== worker)',
    by: "if (loop === undefined && worker === '')",
    tests: ['test/crash/freeze.test.ts', 'test/crash/landing.test.ts'],
  },
  {
    name: 'a worker that lost its hold claims all the same',
    replace: '    await claim.confirm()\n',
    by: '',
    tests: ['test/crash/freeze.test.ts', '-t', 'frozen before it has claimed'],
  },
  {
    name: 'what a dead worker left is not cleared away',
    replace: '  await clearLeftovers(loop, ports)\n',
    by: '  void clearLeftovers\n',
    tests: ['test/e2e/leftovers.test.ts'],
  },
  {
    name: 'the locks of a git that was killed stay',
    replace: '    await rm(lock, { force: true })\n',
    by: '    void rm\n',
    tests: ['test/vcs/git-recover.test.ts'],
  },
]
