/** What `decide` accepts. */
/** @type {import('../mutations.mjs').Mutation[]} */
export const decide = [
  {
    name: 'an approval counts whatever tree it speaks of',
    replace: 'if (review.tree !== loop.work.head.tree)',
    by: "if (review.tree === '')",
    tests: ['test/core/decide-review.test.ts'],
  },
  {
    name: 'an approval counts although a gate has still to pass on the tree',
    replace: '!last.blocking && owesGate(loop, terms)',
    by: '!last.blocking && !loop',
    tests: ['test/core'],
  },
  {
    name: 'an approval counts although it leaves blocking issues open',
    replace: 'if (openBlocking(loop.review.ledger).length > 0) return',
    by: 'if (openBlocking(loop.review.ledger).length < 0) return',
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
    replace: 'const isBeyondCap = cycle > terms.maxCycles',
    by: 'const isBeyondCap = cycle > terms.maxCycles + 1',
    tests: ['test/core'],
  },
  {
    name: 'one more failure of a gate than allowed',
    replace: 'loop.check.failures + 1 >= terms.maxGateFailures',
    by: 'loop.check.failures >= terms.maxGateFailures',
    tests: ['test/core'],
  },
  {
    name: 'one more unreadable review than allowed',
    replace: 'if (malformed > terms.reviewRetries)',
    by: 'if (malformed > terms.reviewRetries + 1)',
    tests: ['test/core'],
  },
  {
    name: 'one more iteration than allowed',
    replace: 'iteration - turn.granted > terms.maxIterations',
    by: 'iteration - turn.granted > terms.maxIterations + 1',
    tests: ['test/core'],
  },
  {
    name: 'a revision that changed nothing is reviewed again',
    replace: 'if (last?.sentBack && last.tree === tree) return true',
    by: 'if (last?.sentBack && last.tree === tree) return false',
    tests: ['test/core'],
  },
  {
    name: 'a developer that changes nothing is sent to work without end',
    replace: "if (loop.turn.feedback?.said.from === 'empty') {",
    by: "if (loop.turn.feedback?.said.from === 'none') {",
    tests: ['test/core'],
  },
  {
    name: 'a revision without a named file counts as stalled',
    replace: 'return files.length > 0 && files.every(',
    by: 'return files.every(',
    tests: ['test/core'],
  },
]
