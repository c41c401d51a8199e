/** Files that run the tests on a CI server. Every change to them is reported, because Umpire does not run them. */
import type { WeakenedFact } from '../fact.ts'
import type { DiffFile, DiffLine } from '../read-diff.ts'

const ciFiles =
  /^(?:\.github\/(?:workflows|actions)\/|\.gitlab-ci(?:\.ya?ml$|\/)|\.circleci\/|\.ci\/|ci\/|\.buildkite\/|\.woodpecker(?:\.ya?ml$|\/)|\.gitea\/workflows\/|\.forgejo\/workflows\/|\.teamcity\/|azure-pipelines[^/]*\.ya?ml$|\.azure-pipelines\/|bitbucket-pipelines\.yml$|appveyor\.yml$|\.appveyor\.yml$|\.travis\.yml$|\.cirrus\.yml$|\.drone\.yml$|cloudbuild\.ya?ml$|(?:.*\/)?Jenkinsfile[^/]*$)/

export function isCiFile(path: string): boolean {
  return ciFiles.test(path)
}

export function weighCi({ from, to, content, hunks }: DiffFile): WeakenedFact[] {
  const file = to ?? from ?? ''
  const kind = 'changed-ci'
  if (to === null) return [{ kind, file, line: null, text: 'deleted' }]
  if (content === 'binary' || (from !== null && from !== to && hunks.length === 0))
    return [{ kind, file, line: null, text: from === to ? 'replaced' : `renamed from ${from}` }]
  const changed = meaningfulChanges(hunks.flatMap((hunk) => hunk.lines))
  const line = changed.find(({ side, text }) => side === 'new' && lenient.test(text)) ?? changed[0]
  return line ? [{ kind, file, line: line.line, text: line.text }] : []
}

/** Words that let a failing check pass. A changed line with one of them is shown before others. */
const lenient =
  /\|\|\s*(?:true|:|exit 0)|continue-on-error|allow_failure|passWithNoTests|\bif:\s*false\b|--no-verify|continueOnError|catchError|set \+e/

/** The lines that changed in more than comments and formatting. */
export function meaningfulChanges(lines: DiffLine[]): DiffLine[] {
  const bare = ({ text }: DiffLine) => text.replace(/\s+/g, '').replace(/,$/, '')
  const substance = lines.filter((line) => line.side !== 'both' && !/^\s*(?:#(?!!)|\/\/|$)/.test(line.text))
  const [old, now] = [new Map<string, number>(), new Map<string, number>()]
  for (const line of substance) {
    const side = line.side === 'old' ? old : now
    side.set(bare(line), (side.get(bare(line)) ?? 0) + 1)
  }
  return substance.filter((line) => (old.get(bare(line)) ?? 0) !== (now.get(bare(line)) ?? 0))
}
