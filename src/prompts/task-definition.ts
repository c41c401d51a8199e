import type { Task } from '../core/task.ts'
import { paragraphs, untrusted } from './untrusted.ts'

/** The task in a person's own words, the same for whoever works on it or judges it. */
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

/** What the work was done for, when the task itself is only about that work. */
export function renderOf({ id, task }: { id: number; task: Task }): string {
  const [, ...rest] = renderTask(id, task).split('\n')
  return [`## The work is that of task ${id}`, ...rest].join('\n')
}

/** What is there already and is not to be done again. */
export function renderBuiltOn(tasks: { id: number; title: string }[]): string {
  const list = tasks.map(({ id, title }) => `- Task ${id}: ${title.replace(/\s+/g, ' ')}`).join('\n')
  const what = tasks.length === 1 ? 'this task' : 'these tasks'
  return `## What it builds on\n\nThe approved work of ${what} is in the tree that you begin with:\n\n${untrusted(list)}`
}
