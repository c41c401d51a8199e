/** How Umpire turns an answer into a verdict. */
/** @type {import('../mutations.mjs').Mutation[]} */
export const verdicts = [
  {
    name: 'of two different verdicts the last one counts',
    replace: "if (other) return { kind: 'malformed'",
    by: "if (other && !last) return { kind: 'malformed'",
    tests: ['test/verdicts'],
  },
  {
    name: 'an approval next to something unreadable counts',
    replace: 'if (unreadable) return unreadable',
    by: 'if (unreadable && !last) return unreadable',
    tests: ['test/verdicts'],
  },
  {
    name: 'an approval that came twice with different findings counts',
    replace: 'judgementOf(review) !== judgementOf(last)',
    by: "judgementOf(review) === ''",
    tests: ['test/verdicts'],
  },
  {
    name: 'JSON that had to be repaired approves',
    replace: 'return approves ? unreadable : reading',
    by: 'return approves && !text ? unreadable : reading',
    tests: ['test/verdicts'],
  },
  {
    name: 'a verdict in a quotation counts',
    replace: "if (line.place === 'quoted') continue\n    const said",
    by: 'const said',
    tests: ['test/verdicts'],
  },
  {
    name: 'a verdict with more words on its line counts',
    replace: "[ \\\\t]*$`, 'i')",
    by: "[ \\\\t]*`, 'i')",
    tests: ['test/verdicts'],
  },
  {
    name: 'JSON that only a sentence mentions counts',
    replace: "if (found.standing === 'mentioned') return mentioned(reading)\n",
    by: 'void mentioned\n',
    tests: ['test/verdicts'],
  },
  {
    name: 'a review that was handed in with a key twice counts',
    replace: "if (scan.twice === null || reading.kind === 'silent') return reading",
    by: "if (scan.twice !== '') return reading",
    tests: ['test/verdicts'],
  },
  {
    name: 'a hand-in counts whatever its token',
    replace: 'sha256(handIn.token) === session.tokenHash',
    by: "sha256(handIn.token) !== ''",
    tests: ['test/crash/agents.test.ts', '-t', 'another token'],
  },
]
