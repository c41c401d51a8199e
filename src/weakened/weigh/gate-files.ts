/** Files that configure which tests and checks are run and how, as data, and which of their lines matter. */

import type { WeakenedFact } from '../fact.ts'
import type { DiffFile, DiffLine } from '../read-diff.ts'
import { meaningfulChanges } from './ci-files.ts'

interface GateFile {
  path: RegExp
  /** The lines that matter. If the file contains nothing else, all lines do. */
  lines: RegExp | null
  /** Lines that matter even if they replace nothing, because they leave something out. */
  added: RegExp
  /** If whole parts of a file matter: how a part begins, with its name, and which parts. */
  parts?: { begin: RegExp; matter: RegExp }
}

/** Words with which many tools make a check report less. */
const leavesOut =
  /exclu|ignor|omit|skip|\|\|\s*(?:true|:)|pass_?with_?no_?tests|threshold|fail_under|retr(?:y|ies)|reruns|bail|allow_?fail|continue|minimum|testFailureIgnore|enabled\s*=\s*false|test\s*=\s*false|harness\s*=\s*false|\bexit 0\b|deselect|norecursedirs|--no-|Remove=/i

const checkNames =
  /(?:test|spec|lint|check|types?|coverage|verify|ci|e2e|unit|integration|format|fmt|tsc|validate|gate)/

const gateFiles: readonly GateFile[] = [
  { path: /^umpire(?:\.local)?\.yaml$|^umpire\/prompts\//, lines: null, added: /\S/ },
  {
    path: /(?:^|\/)package\.json$/,
    // A line with a version belongs to a dependency.
    lines: new RegExp(
      `^\\s*"(?:pre|post)?${checkNames.source}(?:[:._-][^"]{0,80})?"\\s*:\\s*"(?![\\^~]?\\d)|^\\s*"(?:coverageThreshold|testPathIgnorePatterns|coveragePathIgnorePatterns|collectCoverageFrom|testMatch|testRegex|branches|functions|lines|statements|check-coverage|forceExit|testTimeout)"`,
    ),
    added: /"(?:testPathIgnorePatterns|coveragePathIgnorePatterns|passWithNoTests)"/,
  },
  {
    path: /(?:^|\/)(?:GNU)?[Mm]akefile$|\.mk$|(?:^|\/)[Jj]ustfile$/,
    lines: null,
    added: leavesOut,
    parts: {
      begin: /^([\w.-]{1,80})(?:\s[^:=]{0,200})?:(?!=)/,
      matter: new RegExp(`^(?:[\\w.]+-)?${checkNames.source}s?(?:$|[._-])`),
    },
  },
  {
    path: /(?:^|\/)(?:pytest\.ini|\.?tox\.ini|noxfile\.py|\.coveragerc|codecov\.ya?ml|\.codecov\.ya?ml|\.rspec|\.simplecov|\.mocharc\.\w+|\.nycrc(?:\.\w+)?|\.c8rc(?:\.\w+)?|(?:vitest|jest|playwright|karma|cypress|ava|wdio)\.(?:config|conf|workspace)\.[\w.]+|testng\.xml|[^/]+\.runsettings|xunit\.runner\.json|\.testcoverage\.ya?ml|nextest\.toml|tarpaulin\.toml)$/,
    lines: null,
    added: /\S/,
  },
  {
    path: /(?:^|\/)(?:pyproject\.toml|setup\.cfg)$/,
    lines:
      /^\s*(?:addopts|testpaths|python_(?:files|classes|functions)|norecursedirs|markers|filterwarnings|xfail_strict|fail_under|omit|exclude_lines|exclude_also|timeout|reruns|collect_ignore|required_plugins|branch|test|lint|commands|(?:extend-)?per-file-ignores|(?:extend-)?ignore|(?:extend-)?exclude)\s*=/,
    added:
      /^\s*(?:norecursedirs|omit|exclude_lines|exclude_also|reruns|collect_ignore|(?:extend-)?per-file-ignores|(?:extend-)?ignore|(?:extend-)?exclude)\s*=|--(?:ignore|deselect|no-cov)|-p\s+no:/,
  },
  {
    path: /(?:^|\/)Cargo\.toml$/,
    lines: /^\s*(?:test|doctest|harness|autotests)\s*=|^\s*\[\[test\]\]/,
    added: /=\s*false/,
  },
  {
    path: /(?:^|\/)pom\.xml$/,
    lines:
      /skipTests|skipITs|maven\.test\.skip|testFailureIgnore|rerunFailingTestsCount|<(?:exclude|minimum|excludedGroups|haltOnFailure|skip)>|surefire|failsafe|jacoco/,
    added: /skipTests|skipITs|maven\.test\.skip|testFailureIgnore|rerunFailing|<exclude|<skip>|haltOnFailure/,
  },
  {
    path: /\.gradle(?:\.kts)?$/,
    lines:
      /ignoreFailures|\bexclude|enabled\s*=|onlyIf|minimum\s*=|useJUnit|maxRetries|excludeTags|failOnNoDiscoveredTests|\bfilter\s*\{/,
    added: /ignoreFailures|\bexclude|enabled\s*=\s*false|onlyIf|maxRetries|excludeTags/,
  },
  { path: /(?:^|\/)(?:Rakefile|[^/]+\.rake)$/, lines: /\btest|spec|rubocop/i, added: leavesOut },
  {
    path: /\.(?:csproj|props|targets)$/,
    lines: /IsTestProject|Threshold|ExcludeFromCodeCoverage|VSTest|RunSettings|Compile Remove|<Exclude/,
    added: /IsTestProject>\s*false|Exclude|Compile Remove/,
  },
  {
    path: /(?:^|\/)(?:run[_-]?)?(?:tests?|check|lint|ci|coverage)[^/]*\.(?:sh|bash|ps1)$/,
    lines: null,
    added: leavesOut,
  },
]

export function isGateFile(path: string): boolean {
  return gateFiles.some((gate) => gate.path.test(path))
}

/** One fact for each hunk that matters, with the line that shows most. A new file weakens nothing. */
export function weighGate({ from, to, hunks }: DiffFile): WeakenedFact[] {
  const gate = gateFiles.find(({ path }) => path.test(from ?? ''))
  if (!gate || from === null) return []
  const kind = 'changed-gate'
  if (to === null || !gate.path.test(to))
    return [{ kind, file: to ?? from, line: null, text: to === null ? 'deleted' : `renamed from ${from}` }]
  return hunks.flatMap(({ section, lines }): WeakenedFact[] => {
    const matter = meaningfulChanges(gate.parts ? inParts(section, lines, gate.parts) : lines)
    const telling = matter.filter(
      ({ side, text }) =>
        (side === 'old' && (gate.lines?.test(text) ?? true)) || (side === 'new' && gate.added.test(text)),
    )
    const [first] = telling.filter(({ side }) => side === 'old')
    // A line that replaced another one shows more than the old line.
    const now = first && matter.find(({ side, text }) => side === 'new' && (gate.lines?.test(text) ?? true))
    const line = telling.find(({ side }) => side === 'new') ?? now ?? first
    if (!line) return []
    const text = first && line !== first ? `${first.text.trim()} → ${line.text.trim()}` : line.text
    return [{ kind, file: to, line: line.line, text }]
  })
}

function inParts(
  section: string,
  lines: DiffLine[],
  { begin, matter }: NonNullable<GateFile['parts']>,
): DiffLine[] {
  let part = begin.exec(section)?.[1] ?? ''
  return lines.filter((line) => {
    part = begin.exec(line.text)?.[1] ?? part
    return matter.test(part)
  })
}
