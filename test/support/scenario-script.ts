/**
 * A scenario as a shell script, which `test/fixtures/agents/actor.sh` reads. It leaves to `actor.mjs` what a shell
 * can't do as well.
 */
import { dirname, resolve } from 'node:path'
import type { Act, Part, Scenario } from './umpire.ts'

const actor = resolve(import.meta.dirname, '../fixtures/agents/actor.mjs')
const handOn = `exec node ${quoted(actor)}`

/** What the actor records when it starts. A folder name that JSON would have to escape is left to `actor.mjs`. */
const head = `
cwd=$(pwd -P)
case $cwd in *[\\"\\\\]*) ${handOn} ;; esac
[ -z "\${ACTOR_SPEAKS-}" ] || ${handOn}
begin() {
  printf '{"session":"%s","role":"%s","task":%s,"pid":%s,"cwd":"%s"}\\n' \\
    "$UMPIRE_SESSION" "$UMPIRE_ROLE" "$UMPIRE_TASK" "$$" "$cwd" >>"$BENCH/played.jsonl"
}
file() {
  [ -d "\${1%/*}" ] || [ "\${1%/*}" = "$1" ] || mkdir -p "\${1%/*}" || exit 1
  printf '%s' "$2" >"$1" || exit 1
}
`

export function scenarioScript(scenario: Scenario): string {
  const roles = Object.entries(scenario).flatMap(([role, parts]) =>
    (parts as Part[]).map((part) => partScript(role, part)),
  )
  return [head, ...roles, usual, ''].join('\n')
}

/** The default part, as in `actor.mjs`. */
const usual = `begin
if [ "$UMPIRE_ROLE" = developer ]; then
  file "work-$UMPIRE_TASK.txt" "iteration $UMPIRE_ITERATION
"
  echo Done.
else
  echo '**Verdict: APPROVED**'
fi`

function partScript(role: string, { task, cycle, iteration, session, do: acts }: Part): string {
  const fits = [
    is('UMPIRE_ROLE', role),
    ...(task === undefined ? [] : [`{ ${is('UMPIRE_TASK', task)} || ${is('UMPIRE_TASK_TITLE', task)}; }`]),
    ...(cycle === undefined ? [] : [is('UMPIRE_CYCLE', cycle)]),
    ...(iteration === undefined ? [] : [is('UMPIRE_ITERATION', iteration)]),
    ...(session === undefined ? [] : [`[ "$UMPIRE_SESSION" = "$UMPIRE_TASK"-${quoted(session)} ]`]),
  ]
  const lines = acts.map(actLines)
  const played = lines.some((each) => each === null)
    ? [handOn]
    : ['begin', ...lines.flatMap((each) => each ?? [])]
  return [`if ${fits.join(' && ')}; then`, ...played.map((line) => `  ${line}`), '  exit 0', 'fi'].join('\n')
}

/** Null for an act that is left to `actor.mjs`. */
function actLines(act: Act): string[] | null {
  if (JSON.stringify(act).match(/\\u0000|\\ud[89a-f]/)) return null
  if ('write' in act)
    return Object.entries(act.write).map(([path, text]) => `file ${placed(path)} ${quoted(text)}`)
  if ('say' in act) return [`printf '%s\\n' ${quoted(act.say)}`]
  if ('complain' in act) return [`printf '%s\\n' ${quoted(act.complain)} >&2`]
  if ('touch' in act) return [`file ${placed(act.touch)} ''`]
  if ('exit' in act) return [`exit ${act.exit}`]
  return null
}

function is(name: string, value: string | number): string {
  return `[ "$${name}" = ${quoted(value)} ]`
}

function placed(path: string): string {
  return dirname(path) === '.' && path.startsWith('-')
    ? placed(`./${path}`)
    : path.split('$BENCH').map(quoted).join('"$BENCH"')
}

function quoted(text: string | number): string {
  return `'${String(text).replaceAll("'", "'\\''")}'`
}
