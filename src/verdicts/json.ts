/**
 * The review as a JSON object in the answer: as the whole answer, in a fenced `json` block, or as one object in prose.
 * JSON that had to be repaired or was cut off can't approve, because the missing part may contain findings. A verdict
 * against the work may still count.
 */
import { jsonrepair } from 'jsonrepair'
import type { Reading } from '../core/review/review.ts'
import { type Channel, type ChannelName, oneReading, type ReviewerSetup } from './channel.ts'
import { parseReview } from './shape/parse-review.ts'
import { type Found, findObjects, scanObject } from './text/find-objects.ts'
import { withoutBom } from './text/own-words.ts'

export const json: Channel<ChannelName> = {
  name: 'json',
  instruction: instruction('not run'),
  instructionFor: ({ witnesses }) => instruction(witnesses),
  read: ({ answer }) => readJson(answer),
}

/** The example is indented code, so that an echo of the prompt is not read as a review. */
function instruction(witnesses: ReviewerSetup['witnesses']): string {
  const example = ',\n          "witness": ["node", "--test", "example.test.ts"]'
  return `Give your review as one JSON object, in a fenced block marked \`json\` (three backticks and the word json), the
only such block in your answer. Plain JSON: no comments, no trailing commas, every string closed. It looks like this:

    {
      "verdict": "APPROVED, CHANGES_REQUESTED, NEEDS_DISCUSSION or REJECTED",
      "summary": "what you found, in one or two sentences",
      "interpretedIntent": "what the task is for, as you understand it",
      "intentSatisfied": true,
      "scores": { "correctness": 90, "tests": 85 },
      "issues": [
        {
          "file": "src/example.ts",
          "line": 12,
          "type": "bug",
          "severity": "blocking",
          "description": "what is wrong and how it shows",
          "suggestion": "what would fix it"${witnesses === 'run' ? example : ''}
        }
      ]
    }

\`verdict\` is exactly one of the four words. \`severity\` is \`blocking\` or \`advisory\`; an approval has no blocking issue.
\`type\` is one of over-engineering, missing-error-handling, pattern-violation, dead-code, spec-intent-mismatch, bug,
security, test-gap, other. Scores go from 0 to 100. Leave out what you have nothing to say about; \`issues\` may be empty.`
}

function readJson(answer: string): Reading {
  const text = withoutBom(answer)
  if (!text.includes('{')) return { kind: 'silent' }
  const whole = text.trim()
  const scan = whole.startsWith('{') && !startsAsCode(text) ? scanObject(whole, 0) : null
  if (scan?.kind === 'complete' && scan.end === whole.length) {
    return readFound({ kind: 'sound', value: scan.value, twice: scan.twice, standing: 'stated' }, text)
  }
  return oneReading(findObjects(text).map((found) => readFound(found, text)))
}

/** An answer that is indented throughout is a code block, not a statement. */
function startsAsCode(text: string): boolean {
  const indent = /[^\r\n]*$/.exec(text.slice(0, text.search(/\S/)))?.[0] ?? ''
  return indent.length > 3 || indent.includes('\t')
}

function readFound(found: Found, text: string): Reading {
  if (found.kind === 'broken') return readBroken(found, text)
  const reading = parseReview(found.value, text)
  if (found.standing === 'mentioned') return mentioned(reading)
  if (found.twice === null || reading.kind === 'silent') return reading
  return { kind: 'malformed', why: `the key ${JSON.stringify(found.twice)} appears twice` }
}

/** A review that is only mentioned can't decide anything. But a rejection that may have been meant must not be ignored. */
function mentioned(reading: Reading): Reading {
  if (reading.kind !== 'review' || reading.review.verdict === 'APPROVED') return { kind: 'silent' }
  const why = `the JSON with ${reading.review.verdict} is inside a sentence or an unclear block`
  return { kind: 'malformed', why: `${why}; give the review as a fenced json block` }
}

function readBroken(found: Found & { kind: 'broken' }, text: string): Reading {
  const unreadable: Reading = { kind: 'malformed', why: `the JSON is ${found.how}; print it whole and valid` }
  const repaired = repair(found.text)
  if (repaired === undefined)
    return /\b(?:verdict|passed)\b/.test(found.text) ? unreadable : { kind: 'silent' }
  // The repair turns several objects in a row into a list.
  const values: unknown[] = Array.isArray(repaired) ? repaired : [repaired]
  const reading = oneReading(values.map((value) => parseReview(value, text)))
  const approves = reading.kind === 'review' && reading.review.verdict === 'APPROVED'
  return approves ? unreadable : reading
}

/** Repairing a longer text would take too much memory. */
const longestRepair = 1_000_000

function repair(text: string): unknown {
  if (text.length > longestRepair) return undefined
  try {
    return JSON.parse(jsonrepair(text))
  } catch {
    // Beyond repair, or nested so deeply that the repair ran out of stack.
    return undefined
  }
}
