/** What decide lets pass. */
/** @type {import('../mutations.mjs').Mutation[]} */
export const decide = [
  {
    name: 'an approval counts whatever tree it speaks of',
    replace: 'if (review.tree !== tree)',
    by: "if (review.tree === '')",
    tests: ['test/core/decide-review.test.ts'],
  },
  {
    name: 'an approval counts although a gate has still to pass on the tree',
    replace: '!review.blocking && owesGate(loop, policy)',
    by: '!review.blocking && !loop',
    tests: ['test/core'],
  },
  {
    name: 'an approval counts although it leaves blocking issues open',
    replace: 'if (openBlocking(loop.ledger).length > 0) return',
    by: 'if (openBlocking(loop.ledger).length < 0) return',
    tests: ['test/core'],
  },
  {
    name: 'a rejection is treated like a request for changes',
    replace: "if (review.verdict === 'REJECTED')",
    by: "if (review.verdict === 'NONE')",
    tests: ['test/core'],
  },
  {
    name: 'one more review than allowed',
    replace: 'return !hand && cycle > maxCycles',
    by: 'return !hand && cycle > maxCycles + 1',
    tests: ['test/core'],
  },
  {
    name: 'one more failure of a gate than allowed',
    replace: 'loop.gateFailures + 1 >= policy.maxGateFailures',
    by: 'loop.gateFailures >= policy.maxGateFailures',
    tests: ['test/core'],
  },
  {
    name: 'one more unreadable review than allowed',
    replace: 'if (malformed > policy.reviewRetries)',
    by: 'if (malformed > policy.reviewRetries + 1)',
    tests: ['test/core'],
  },
  {
    name: 'one more iteration than allowed',
    replace: 'iteration - loop.granted > policy.maxIterations',
    by: 'iteration - loop.granted > policy.maxIterations + 1',
    tests: ['test/core'],
  },
  {
    name: 'a revision that changed nothing is reviewed again',
    replace: 'if (review?.sentBack && review.tree === tree) return true',
    by: 'if (review?.sentBack && review.tree === tree) return false',
    tests: ['test/core'],
  },
  {
    name: 'a developer that changes nothing is sent to work without end',
    replace: "if (feedback?.said.from === 'empty') {",
    by: "if (feedback?.said.from === 'none') {",
    tests: ['test/core'],
  },
  {
    name: 'a revision without a named file counts as stalled',
    replace: 'return files.length > 0 && files.every(',
    by: 'return files.every(',
    tests: ['test/core'],
  },
]
