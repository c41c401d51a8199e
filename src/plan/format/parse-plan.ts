/** Parses the text of one plan file. Returns its content, or all problems with their lines. */
import { parseYaml } from '../../config/yaml/parse-yaml.ts'
import { nearest } from '../../config/yaml/problem.ts'
import { renderPath, type SourceMap } from '../../config/yaml/source-tree.ts'
import type { ParsedPlan, PlanFile, PlanProblem, PlanSettings, WhereIn } from './plan-file.ts'
import { type PlanKey, planKeys, type Read, unknownKey } from './plan-keys.ts'
import { readBody } from './read-body.ts'

export function parsePlan(file: string, text: string): ParsedPlan {
  const rest = numberIn(text)
  const matter = splitFrontMatter(text)
  if (matter.kind === 'none') return { kind: 'other', why: 'has no front matter' }
  if (matter.kind === 'unended')
    return { kind: 'malformed', problems: [{ file, line: 1, text: noEnd }], rest }
  const yaml = parseYaml(file, matter.yaml)
  const problems: PlanProblem[] = yaml.problems.map(({ line, path, text: why }) => {
    return { file, line, text: [...(path.length > 0 ? [renderPath(path)] : []), why].join(': ') }
  })
  if (yaml.kind === 'unreadable') return { kind: 'malformed', problems, rest }
  const keys: SourceMap = yaml.root?.value instanceof Map ? yaml.root.value : new Map()
  if (isOfAnotherKind(keys)) return { kind: 'other', why: 'has no task number in its front matter' }

  const lineOf = (key: string) => keys.get(key)?.line ?? null
  for (const [key, { line }] of keys)
    if (!Object.hasOwn(planKeys, key))
      problems.push({ file, line, text: `${renderPath([key])}: ${unknownKey(key)}` })
  const values = readKeys(keys, (key, why) => {
    problems.push({ file, line: lineOf(key), text: `${key}: ${why}` })
  })

  const { title } = values
  const body = readBody(matter.body, (heading) => title === undefined || heading === title.trim())
  if (!keys.has('task'))
    problems.push({ file, line: 1, text: 'task: is missing; give the task a number within its plan' })
  if (!keys.has('title') && !body.heading)
    problems.push({
      file,
      line: matter.before + 1,
      text: 'there is no title; add a key title or a first heading',
    })
  const plan: PlanFile = {
    task: values.task ?? 0,
    title: title ?? body.heading?.text ?? '',
    status: values.status ?? 'pending',
    description: joined(values.description ?? '', body.description),
    scope: joined(values.scope ?? '', body.scope ?? '') || null,
    accept: [...(values.accept ?? []), ...body.accept],
    gates: values.backpressure ?? [],
    dependsOn: values.depends_on ?? [],
    group: values.group ?? null,
    of: values.of ?? null,
    settings: settingsOf(values),
    mark: values.umpire ?? null,
  }
  if (problems.length === 0) return { kind: 'task', plan, lineOf }
  return { kind: 'malformed', problems, rest: values.task === undefined ? null : { plan, lineOf } }
}

const noEnd = 'the front matter has no end; close it with a line that contains only ---'

/** Finds the number of a file that can't be parsed otherwise, because other files may still refer to it. */
function numberIn(text: string): WhereIn | null {
  const task = /^task:[ \t]*(\d{1,9})[ \t\r]*(?:#.*)?$/m.exec(text)?.[1]
  if (task === undefined) return null
  const nothing = {
    description: '',
    scope: null,
    accept: [],
    gates: [],
    dependsOn: [],
    group: null,
    of: null,
  }
  const plan: PlanFile = {
    ...nothing,
    task: Number(task),
    title: '',
    status: 'pending',
    settings: {},
    mark: null,
  }
  return { plan, lineOf: () => null }
}

type Values = { [K in PlanKey]?: ReturnType<(typeof planKeys)[K]> extends Read<infer T> ? T : never }

function readKeys(keys: SourceMap, complain: (key: PlanKey, why: string) => void): Values {
  const values: Values = {}
  const take = <K extends PlanKey>(key: K, reader: (typeof planKeys)[K]) => {
    const node = keys.get(key)
    if (!node) return
    const result = reader(node)
    if (result.kind === 'wrong') complain(key, result.why)
    else Object.assign(values, { [key]: result.value })
  }
  for (const key of Object.keys(planKeys) as PlanKey[]) take(key, planKeys[key])
  return values
}

/** Other programs also use front matter. A file with `backpressure`, or with almost a task number, is meant for Umpire. */
function isOfAnotherKind(keys: SourceMap): boolean {
  if (keys.has('task') || keys.has('backpressure')) return false
  return ![...keys.keys()].some((key) => nearest(key, ['task']) !== null)
}

function settingsOf(values: Values): PlanSettings {
  const { type, review, max_cycles, effort, agent, model, reviewer, review_model } = values
  return {
    ...(type !== undefined && { type }),
    ...(review !== undefined && { autoReview: review }),
    ...(max_cycles !== undefined && { maxCycles: max_cycles }),
    ...(effort !== undefined && { effort }),
    ...(agent !== undefined && { agent }),
    ...(model !== undefined && { model }),
    ...(reviewer !== undefined && { reviewer }),
    ...(review_model !== undefined && { reviewModel: review_model }),
  }
}

function joined(first: string, second: string): string {
  return first !== '' && second !== '' ? `${first}\n\n${second}` : first || second
}

/** The lines between `---` and `---` at the very top of a file, and the body after them. */
type FrontMatter =
  /** `before` is the number of lines before the body. */
  { kind: 'found'; yaml: string; body: string[]; before: number } | { kind: 'none' } | { kind: 'unended' }

function splitFrontMatter(text: string): FrontMatter {
  const lines = text.replace(/^\ufeff/, '').split(/\r\n|\n/)
  if (!isFence(lines[0])) return { kind: 'none' }
  const end = lines.findIndex((line, at) => at > 0 && (isFence(line) || /^\.\.\.\s*$/.test(line)))
  if (end === -1) return { kind: 'unended' }
  const body = lines.slice(end + 1)
  // An empty line replaces the first `---`, so that line numbers in the YAML are those of the file.
  return { kind: 'found', yaml: `\n${lines.slice(1, end).join('\n')}\n`, body, before: end + 1 }
}

function isFence(line: string | undefined): boolean {
  return line !== undefined && /^---\s*$/.test(line)
}
