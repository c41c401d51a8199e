/** Merges the findings of several reviewers, with one entry for each finding that they share. No reviewer's words are lost. */
import { plainPath } from './ledger.ts'
import type { IssueType, ReportedIssue } from './review.ts'

export interface Findings {
  /** The reviewer's name, shown where its words appear together with another reviewer's. */
  who: string
  issues: ReportedIssue[]
}

interface Merged {
  issue: ReportedIssue
  said: { who: string; issue: ReportedIssue }[]
}

/** How many lines apart two findings can be and still mean the same place. */
const nearLines = 3

export function mergeIssues(all: Findings[]): ReportedIssue[] {
  const merged: Merged[] = []
  for (const { who, issues } of all) {
    // Two findings of the same reviewer are never merged, because the reviewer listed them separately.
    const open = [...merged]
    for (const issue of issues) {
      const at = open.findIndex((other) => other.said.some((said) => isSame(said.issue, issue)))
      const known = open[at]
      if (known) {
        open.splice(at, 1)
        known.issue = together(known.issue, issue)
        known.said.push({ who, issue })
      } else {
        merged.push({ issue: withOwnName(issue, merged), said: [{ who, issue }] })
      }
    }
  }
  return merged.map(({ issue, said }) => ({ ...issue, description: wordsOf(said) }))
}

function isSame(one: ReportedIssue, other: ReportedIssue): boolean {
  // Both name an issue that was open before, by its number.
  if (one.status !== null && other.status !== null && one.id !== null && other.id !== null)
    return plainName(one.id) === plainName(other.id)
  if (!isSameFamily(one.type, other.type)) return false
  const alike = likeness(one.description, other.description)
  if (one.file === null || other.file === null) return one.file === other.file && alike >= 0.8
  if (plainPath(one.file) !== plainPath(other.file)) return false
  if (one.line === null || other.line === null) return alike >= 0.5
  const apart = Math.abs(one.line - other.line)
  return apart === 0 || (apart <= nearLines && alike >= 0.25)
}

/** Reviewers often give the same finding different types, so types of one family count as the same. */
const families: IssueType[][] = [
  ['bug', 'missing-error-handling'],
  ['over-engineering', 'dead-code', 'pattern-violation'],
  ['security', 'bug'],
]

function isSameFamily(one: IssueType, other: IssueType): boolean {
  // `other` is the default if the reviewer gave no type.
  if (one === other || one === 'other' || other === 'other') return true
  return families.some((family) => family.includes(one) && family.includes(other))
}

/** The share of words that both texts have in common. */
function likeness(one: string, other: string): number {
  const [words, others] = [wordsIn(one), wordsIn(other)]
  const shared = [...words].filter((word) => others.has(word)).length
  const all = new Set([...words, ...others]).size
  return all === 0 ? 1 : shared / all
}

function wordsIn(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [])
}

const weight: IssueType[] = ['security', 'bug', 'missing-error-handling', 'spec-intent-mismatch', 'test-gap']

function graver(one: IssueType, other: IssueType): IssueType {
  if (one === 'other') return other
  const rank = (type: IssueType) => (weight.includes(type) ? weight.indexOf(type) : weight.length)
  return rank(other) < rank(one) && other !== 'other' ? other : one
}

function together(one: ReportedIssue, other: ReportedIssue): ReportedIssue {
  const suggestions = [one.suggestion, other.suggestion].filter((text) => text !== null)
  return {
    id: one.id ?? (other.status === null ? null : other.id),
    file: one.file ?? other.file,
    line: one.line ?? other.line,
    section: one.section ?? other.section,
    type: graver(one.type, other.type),
    severity: isWeighty(one) || isWeighty(other) ? 'blocking' : 'advisory',
    description: one.description,
    suggestion: suggestions.length > 0 ? [...new Set(suggestions)].join('\n\n') : null,
    witness: one.witness ?? other.witness,
    status: strongerMark(one.status, other.status),
  }
}

/** A resolved issue does not block, whatever its severity was. */
function isWeighty({ severity, status }: ReportedIssue): boolean {
  return severity === 'blocking' && status !== 'resolved'
}

/** The issue is open as long as one reviewer calls it open. */
function strongerMark(one: ReportedIssue['status'], other: ReportedIssue['status']): ReportedIssue['status'] {
  if (one === 'open' || other === 'open') return 'open'
  // One calls it resolved, but the other describes it, so it is still there.
  if (one === null || other === null) return one === other ? null : 'open'
  return 'resolved'
}

/** Two reviewers may use the same name for different findings. The first one keeps the name. */
function withOwnName(issue: ReportedIssue, merged: Merged[]): ReportedIssue {
  const taken = merged.some((other) => other.issue.id !== null && other.issue.id === issue.id)
  return taken ? { ...issue, id: null } : issue
}

function plainName(id: string): string {
  return id.replace(/^#/, '')
}

function wordsOf(said: Merged['said']): string {
  const spoken = said.filter(({ issue }) => issue.description.trim() !== '')
  const different = new Set(spoken.map(({ issue }) => issue.description.trim()))
  if (different.size <= 1) return spoken[0]?.issue.description ?? ''
  return spoken.map(({ who, issue }) => `${issue.description.trim()} (${who})`).join('\n\n')
}
