/** Files that configure which tests and checks are run and how, and which of their lines matter, as data; and files of CI. */
import type { WeakenedFact } from '../fact.ts'
import type { DiffFile, DiffLine } from '../read-diff.ts'

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

/** Files that run the tests on a CI server. Every change to them is reported, because Umpire does not run them. */
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
function meaningfulChanges(lines: DiffLine[]): DiffLine[] {
  const bare = ({ text }: DiffLine) => text.replace(/\s+/g, '').replace(/,$/, '')
  const substance = lines.filter((line) => line.side !== 'both' && !/^\s*(?:#(?!!)|\/\/|$)/.test(line.text))
  const [old, now] = [new Map<string, number>(), new Map<string, number>()]
  for (const line of substance) {
    const side = line.side === 'old' ? old : now
    side.set(bare(line), (side.get(bare(line)) ?? 0) + 1)
  }
  return substance.filter((line) => (old.get(bare(line)) ?? 0) !== (now.get(bare(line)) ?? 0))
}
