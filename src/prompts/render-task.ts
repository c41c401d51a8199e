import type { Task } from '../core/task.ts'
import { paragraphs, untrusted } from './untrusted.ts'

/** The task in a person's own words. Developers and reviewers read the same text. */
export function renderTask(id: number, task: Task): string {
  return paragraphs(
    `## Task ${id}`,
    untrusted(task.title),
    task.description && `### Description\n\n${untrusted(task.description)}`,
    task.scope && `### Scope\n\n${untrusted(task.scope)}`,
    task.accept.length > 0 &&
      `### Acceptance criteria\n\n${untrusted(task.accept.map((criterion) => `- ${criterion}`).join('\n'))}`,
  ).trimEnd()
}

/** The plan that the work is compared with. */
export function renderPlanSection(task: Task): string | null {
  return task.plan && `## Plan (${JSON.stringify(task.plan.path)})\n\n${untrusted(task.plan.text)}`
}

/** The task that the work was done for, when this task only reviews or improves that work. */
export function renderOf({ id, task }: { id: number; task: Task }): string {
  const [, ...rest] = renderTask(id, task).split('\n')
  return [`## The work belongs to task ${id}`, ...rest].join('\n')
}

/** Work that is already in the tree and must not be done again. */
export function renderBuiltOn(tasks: { id: number; title: string }[]): string {
  const list = tasks.map(({ id, title }) => `- Task ${id}: ${title.replace(/\s+/g, ' ')}`).join('\n')
  const what = tasks.length === 1 ? 'this task' : 'these tasks'
  return `## What it builds on\n\nThe approved work of ${what} is in the tree that you start from:\n\n${untrusted(list)}`
}
