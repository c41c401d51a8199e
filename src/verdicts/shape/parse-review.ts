/**
 * Parses a review from whatever JSON value an agent sent. It is written by hand rather than with a schema, because the
 * shape has synonyms and defaults that depend on the verdict, and because the agent is told all problems at once, by their
 * keys. Types are strict: nothing is converted, and a wrong type is malformed.
 */
import { withRest } from '../../core/listed.ts'
import {
  type IssueType,
  issueTypes,
  type Reading,
  type ReportedIssue,
  type Review,
  type Verdict,
} from '../../core/review/review.ts'
import { Fields } from './fields.ts'

/** `text` is the text that contained the review. It becomes the issue of a rejection without issues and summary. */
export function parseReview(value: unknown, text: string): Reading {
  const problems: string[] = []
  const fields = Fields.of(value, '', problems)
  if (!fields || !['verdict', 'passed', 'result'].some((key) => fields.has(key))) return { kind: 'silent' }

  const verdict = parseVerdict(fields)
  const review = {
    summary: fields.text('summary') ?? '',
    interpretedIntent: fields.text('interpretedIntent'),
    intentSatisfied: fields.flag('intentSatisfied'),
    scores: parseScores(fields),
    blocking: fields.flag('blocking') === true,
    issues: parseIssues(fields, verdict === 'APPROVED'),
  }
  if (verdict === null || problems.length > 0)
    return { kind: 'malformed', why: withRest(problems, 8).join('; ') }

  // A rejection whose issues are all marked as resolved has no more grounds than one without issues.
  if (verdict !== 'APPROVED' && review.issues.every((issue) => issue.status === 'resolved')) {
    review.issues.push(blockingIssue(review.summary.trim() || text.trim()))
  }
  return { kind: 'review', review: { verdict, ...review } }
}

const words: ReadonlyMap<string, Verdict> = new Map([
  ['APPROVED', 'APPROVED'],
  ['PASS', 'APPROVED'],
  ['APPROVE', 'APPROVED'],
  ['CHANGES_REQUESTED', 'CHANGES_REQUESTED'],
  ['NEEDS_REVISION', 'CHANGES_REQUESTED'],
  ['FEEDBACK', 'CHANGES_REQUESTED'],
  ['NEEDS_DISCUSSION', 'NEEDS_DISCUSSION'],
  ['REJECTED', 'REJECTED'],
])

/** Those of `verdict`, its other name `result`, and `passed` that are present must agree. */
function parseVerdict(fields: Fields): Verdict | null {
  const named = ['verdict', 'result'].filter((key) => fields.has(key)).map((key) => parseWord(fields, key))
  const [verdict, result] = named
  const passed = fields.has('passed') ? fields.flag('passed', 'required') : null
  if (fields.problems.length > 0) return null
  if (verdict && result && verdict !== result) {
    return fields.refuse(`verdict says ${verdict} and result says ${result}`)
  }
  if (!verdict) return passed ? 'APPROVED' : 'CHANGES_REQUESTED'
  if (passed !== null && passed !== (verdict === 'APPROVED')) {
    return fields.refuse(`verdict ${verdict} and passed ${passed} do not agree`)
  }
  return verdict
}

function parseWord(fields: Fields, key: string): Verdict | null {
  const word = fields.text(key, 'required')
  if (word === null) return null
  // Only ASCII letters are allowed, because letters such as the long s become plain letters in upper case.
  const verdict = /^[A-Za-z_]+$/.test(word) ? words.get(word.toUpperCase()) : undefined
  const known = 'APPROVED, CHANGES_REQUESTED, NEEDS_DISCUSSION or REJECTED'
  return verdict ?? fields.refuse(`${key} is ${JSON.stringify(word.slice(0, 40))}; it must be ${known}`)
}

function parseScores(fields: Fields): Record<string, number> {
  const key = fields.oneOf('scores', 'score')
  // A single score is for the work as a whole. The minimum applies to it as to any other.
  if (key === 'score' && fields.isNumber(key)) return { overall: fields.percentage(key) ?? 0 }
  const scores = key && fields.object(key)
  if (!scores) return {}
  return Object.fromEntries(
    scores.keys().map((name): [string, number] => [name, scores.percentage(name) ?? 0]),
  )
}

function parseIssues(fields: Fields, approved: boolean): ReportedIssue[] {
  const key = fields.oneOf('issues', 'feedback')
  const list = key && fields.list(key)
  if (!list) return []
  return list.flatMap((entry, index): ReportedIssue[] => {
    const path = `${key}[${index}]`
    if (typeof entry === 'string' && entry.trim() !== '') {
      return [{ ...blockingIssue(entry), severity: approved ? 'advisory' : 'blocking' }]
    }
    const issue = Fields.of(entry, `${path}.`, fields.problems)
    if (issue) return [parseIssue(issue, approved)]
    fields.refuse(`${path} must be an object or a non-empty text`)
    return []
  })
}

function parseIssue(fields: Fields, approved: boolean): ReportedIssue {
  const id = fields.name('id')
  const status = fields.choice('status', ['resolved', 'open'])
  const description = fields.text('description') ?? fields.text('issue') ?? ''
  // A mark on a known issue, {"id":3,"status":"resolved"}, needs no description. Every other entry does.
  if (description.trim() === '' && (id === null || status === null)) fields.refuse('description is missing')
  // An approval that calls a known issue open, and does not call it advisory, contradicts itself.
  const usual = approved && !(status === 'open' && id !== null) ? 'advisory' : 'blocking'
  const witness = fields.texts('witness')
  return {
    id,
    file: fields.text('file'),
    line: fields.ordinal('line'),
    section: fields.text('section'),
    type: parseType(fields.text('type')),
    severity: fields.choice('severity', ['blocking', 'advisory']) ?? usual,
    description,
    suggestion: fields.text('suggestion'),
    witness: witness.length > 0 ? witness : null,
    status,
  }
}

function parseType(type: string | null): IssueType {
  return issueTypes.find((known) => known === type?.toLowerCase()) ?? 'other'
}

/** A review that came as plain text: the text is its summary, and if it does not approve, its one blocking issue. */
export function plainReview(verdict: Verdict, text: string): Review {
  return {
    verdict,
    summary: text,
    interpretedIntent: null,
    intentSatisfied: null,
    scores: {},
    blocking: false,
    issues: verdict === 'APPROVED' ? [] : [blockingIssue(text)],
  }
}

function blockingIssue(description: string): ReportedIssue {
  return {
    id: null,
    file: null,
    line: null,
    section: null,
    type: 'other',
    severity: 'blocking',
    description,
    suggestion: null,
    witness: null,
    status: null,
  }
}
