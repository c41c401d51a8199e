/** A plan file as `umpire export` writes it. Reading the file again gives exactly the same plan. */
import { isDeepStrictEqual } from 'node:util'
import { harmlessJson } from '../../lib/text/printable.ts'
import { sha256 } from '../../lib/text/sha256.ts'
import { yamlScalar } from '../../lib/text/yaml-scalar.ts'
import { parsePlan } from './parse-plan.ts'
import type { PlanFile } from './plan-file.ts'

/** The plan has no mark yet. The file gets the mark of task `id` in the store with that name. */
export function renderPlan(
  plan: Omit<PlanFile, 'mark'>,
  { id, store }: { id: number; store: string },
): string {
  // Sections are easier to read for people. But a text that contains such headings, or characters that a line can't have,
  // goes into the front matter, where it can't be mistaken for anything else.
  const inSections = render(plan, 'sections')
  const isFaithful = !/[\ud800-\udfff]/u.test(inSections) && saysTheSame(inSections, plan)
  const text = isFaithful ? inSections : render(plan, 'front matter')
  return withMark(text, `${id}@${store}:${digestOf(text)}`)
}

/** Whether the file is unchanged since the export. */
export function isUntouched(text: string, digest: string): boolean {
  return digestOf(withoutMark(text)) === digest
}

/** Whether parsing the file gives exactly this plan. */
export function saysTheSame(text: string, plan: Omit<PlanFile, 'mark'>): boolean {
  const parsed = parsePlan('', text)
  return parsed.kind === 'task' && isDeepStrictEqual({ ...parsed.plan, mark: null }, { ...plan, mark: null })
}

function render(plan: Omit<PlanFile, 'mark'>, place: 'sections' | 'front matter'): string {
  const { settings, description, scope, accept } = plan
  const inFront = place === 'front matter'
  const keys: [string, string | null][] = [
    ['task', String(plan.task)],
    ['title', scalar(plan.title)],
    ['status', plan.status],
    ['backpressure', list(plan.gates)],
    ['depends_on', plan.dependsOn.length === 0 ? null : `[${plan.dependsOn.join(', ')}]`],
    ['group', orNull(plan.group)],
    ['type', orNull(settings.type)],
    ['of', orNull(plan.of)],
    ['review', orNull(settings.autoReview)],
    ['max_cycles', orNull(settings.maxCycles)],
    ['effort', orNull(settings.effort)],
    ['agent', scalar(settings.agent)],
    ['model', scalar(settings.model)],
    ['reviewer', scalar(settings.reviewer)],
    ['review_model', scalar(settings.reviewModel)],
    ['description', inFront && description !== '' ? scalar(description) : null],
    ['scope', inFront ? scalar(scope) : null],
    ['accept', inFront ? list(accept) : null],
  ]
  const written = keys.flatMap(([key, value]) => (value === null ? [] : [`${key}: ${value}`]))
  const sections = inFront ? [] : [...section('Objective', description), ...section('Scope', scope ?? '')]
  const criteria = accept.map((text) => `- ${text.split('\n').join('\n  ')}`).join('\n')
  const body = inFront ? sections : [...sections, ...section('Acceptance Criteria', criteria)]
  return ['---', ...written, '---', '', ...body].join('\n')
}

function section(title: string, text: string): string[] {
  return text === '' ? [] : [`## ${title}`, '', text, '']
}

function scalar(text: string | null | undefined): string | null {
  return text === null || text === undefined ? null : harmlessJson(yamlScalar(text))
}

function list(texts: string[]): string | null {
  const [only] = texts
  if (only === undefined) return null
  return texts.length === 1 ? scalar(only) : harmlessJson(JSON.stringify(texts))
}

function orNull(value: string | number | boolean | null | undefined): string | null {
  return value === null || value === undefined ? null : String(value)
}

/** The mark is the last line of the front matter. */
const markLine = /\numpire: [^\n]*(?=\n---\n)/

function withMark(text: string, mark: string): string {
  return text.replace(/\n---\n/, () => `\numpire: ${JSON.stringify(mark)}\n---\n`)
}

function withoutMark(text: string): string {
  return text.replace(markLine, '')
}

function digestOf(text: string): string {
  return sha256(text).slice(0, 12)
}
