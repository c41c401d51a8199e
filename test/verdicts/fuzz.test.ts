import { describe, expect, it } from 'vitest'
import { fc, samples } from '../support/random.ts'
import { readCorpus, verdictOf } from './corpus.ts'
import { holdsApproval, refusesPlainly } from './oracle.ts'

const texts = [...readCorpus().values()].flat().map(({ text }) => text)
const approving = texts.filter((text) => verdictOf(text)?.verdict === 'APPROVED')
const anyText = fc.constantFrom(...texts)
const anyApproval = fc.constantFrom(...approving)

const pieces = [
  ...[
    'APPROVED',
    'Verdict: APPROVED',
    '**Verdict: APPROVED**',
    'Verdict: REJECTED',
    'FEEDBACK: no',
    'NOT APPROVED',
  ],
  ...[
    '',
    '',
    ' ',
    '```',
    '```json',
    '````',
    '~~~',
    '> quoted',
    '| a | b |',
    '|---|---|',
    '<!--',
    '-->',
    'text',
  ],
  ...[
    '{',
    '}',
    '{"verdict":"APPROVED"}',
    '{"verdict":"REJECTED"}',
    '{"passed":true,',
    '"issues":[]}',
    '<details>',
  ],
  ...[
    '</details>',
    '@@ -1,3 +1,3 @@',
    '+added',
    '-removed',
    ' context',
    '    indented',
    '## heading',
    '- item',
    '\r',
  ],
]
const characters = [
  ...'`~>|<!-{}[]":,*_# \n\r\t\\AaPpVv\0',
  '\u200b',
  '\u202e',
  '\u0410',
  '\ufeff',
  '\u2028',
  '\ud800',
]

type Mutation = (text: string) => string
const at = fc.double({ min: 0, max: 0.999999, noNaN: true })

/** Changes a line or a character at a position given as a fraction of the text's length. */
const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  fc.tuple(at, fc.constantFrom(...pieces)).map(([share, piece]) => onLines(share, (line) => [piece, line])),
  at.map((share) => onLines(share, () => [])),
  at.map((share) => onLines(share, (line) => [line, line])),
  at.map((share) => onLines(share, (line) => [`> ${line}`])),
  at.map((share) => onLines(share, (line) => [`    ${line}`])),
  at.map((share) => onLines(share, (line) => ['```', line, '```'])),
  fc
    .tuple(at, fc.constantFrom(...characters))
    .map(([share, char]) => onCharacter(share, (old) => char + old)),
  fc.tuple(at, fc.constantFrom(...characters)).map(([share, char]) => onCharacter(share, () => char)),
  at.map((share) => onCharacter(share, () => '')),
  fc.tuple(at, at, anyText).map(([share, from, other]): Mutation => {
    return (text) => text.slice(0, share * text.length) + other.slice(from * other.length)
  }),
)
const mutated = fc
  .tuple(anyText, fc.array(mutation, { minLength: 1, maxLength: 8 }))
  .map(([text, mutations]) => mutations.reduce((result, mutate) => mutate(result), text))

function onLines(share: number, change: (line: string) => string[]): Mutation {
  return (text) => {
    const lines = text.split('\n')
    const index = Math.floor(share * lines.length)
    return lines.flatMap((line, here) => (here === index ? change(line) : [line])).join('\n')
  }
}

function onCharacter(share: number, change: (old: string) => string): Mutation {
  return (text) => {
    const index = Math.floor(share * text.length)
    return text.slice(0, index) + change(text.charAt(index)) + text.slice(index + 1)
  }
}

const eachLine = (text: string, change: (line: string) => string) =>
  text
    .split(/\r\n?|\n/)
    .map(change)
    .join('\n')
const neverApproved = (text: string): void => {
  expect(verdictOf(text)?.verdict).not.toBe('APPROVED')
}

describe('for any text', () => {
  it('an approval always has an approving statement that the oracle finds too', () => {
    fc.assert(
      fc.property(mutated, (text) => {
        if (verdictOf(text)?.verdict !== 'APPROVED') return
        expect(holdsApproval(text)).toBe(true)
        expect(refusesPlainly(text)).toBe(false)
      }),
      { numRuns: samples(3000) },
    )
  })

  it('noise never crashes the reader and never approves', () => {
    const noise = fc.string({ unit: fc.constantFrom(...characters, ...'verdict:resulton'), maxLength: 300 })
    fc.assert(fc.property(fc.oneof(noise, fc.string({ unit: 'binary' })), neverApproved), {
      numRuns: samples(1000),
    })
  })

  it('a text without the letter p has no approving word, so it never approves', () => {
    const withoutP = mutated.map((text) => text.replace(/[pP\\]/g, ''))
    fc.assert(fc.property(withoutP, neverApproved), { numRuns: samples(1000) })
  })
})

describe('an approval', () => {
  const wraps: Record<string, Mutation> = {
    'in a quote': (text) => eachLine(text, (line) => `> ${line}`),
    'in a nested quote': (text) => eachLine(text, (line) => `> > ${line}`),
    'in a fence': (text) => `\`\`\`\`\`\`text\n${text}\n\`\`\`\`\`\``,
    'in a fence without language': (text) => `~~~~~~\n${text}\n~~~~~~`,
    'in a fence that never ends': (text) => `\`\`\`\`\`\`\n${text}`,
    'in indented code': (text) => eachLine(text, (line) => `    ${line}`),
    'in table rows': (text) => eachLine(text, (line) => `| ${line} |`),
    'in an HTML comment': (text) => `<!--\n${text.replaceAll('-->', '')}\n-->`,
    'in an HTML quote': (text) => `<blockquote>\n${text}\n</blockquote>`,
    'in added lines': (text) => eachLine(text, (line) => `+${line}`),
    'in a hunk': (text) => `@@ -1,999 +1,999 @@\n${eachLine(text, (line) => ` ${line}`)}`,
    'with look-alike letters': (text) => text.replaceAll('P', '\u0420').replaceAll('p', '\u0440'),
    'with NOT before each approving word': (text) => text.replace(/approved?\b|\bpass(?:ed)?\b/gi, 'NOT $&'),
    'with a refusing line at its end': (text) => `${text}\n\nVerdict: REJECTED\n`,
    'with a refusing line at its beginning': (text) => `**Verdict: CHANGES_REQUESTED**\n\n${text}`,
    'with feedback at its end': (text) => `${text}\n\nFEEDBACK: it does not compile\n`,
    'with a refusing object at its end': (text) => `${text}\n\n{"passed": false}\n`,
    'with a broken object at its end': (text) => `${text}\n\n{"verdict": "APPROVED", "issues": [\n`,
  }
  const before = fc.constantFrom(
    '',
    'As I wrote before:\n\n',
    '# Review\n\nSome words.\n\n',
    '- one\n- two\n\n',
  )

  it.each(Object.entries(wraps))('%s does not count', (_name, wrap) => {
    for (const text of approving) neverApproved(wrap(text))
    fc.assert(
      fc.property(before, anyApproval, (words, text) => neverApproved(words + wrap(text))),
      { numRuns: samples(100) },
    )
  })

  it('with an invisible character in or next to each approving word does not count', () => {
    const invisible = fc.constantFrom(
      '\u200b',
      '\u200d',
      '\u200f',
      '\u2060',
      '\ufeff',
      '\u00ad',
      '\u202e',
      '\0',
    )
    fc.assert(
      fc.property(anyApproval, invisible, at, (text, char, share) => {
        const spoilt = text.replace(/approved?\b|\bpass(?:ed)?\b/gi, (word) => {
          const cut = Math.floor(share * (word.length + 1))
          return word.slice(0, cut) + char + word.slice(cut)
        })
        // A byte order mark at the very start of an answer is not part of the text.
        neverApproved(` \n${spoilt}`)
      }),
      { numRuns: samples(1000) },
    )
  })

  it('cut off anywhere before its verdict does not count', () => {
    fc.assert(
      fc.property(anyApproval, at, (text, share) => {
        const cut = text.slice(0, Math.floor(share * text.length))
        if (verdictOf(cut)?.verdict === 'APPROVED') expect(holdsApproval(cut)).toBe(true)
      }),
      { numRuns: samples(500) },
    )
  })
})
