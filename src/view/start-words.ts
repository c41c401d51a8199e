import type { Place } from '../core/place.ts'

/** What a branch begins with: `main`, `main with the groups before it and the work of task 3`, `the work of task 2`. */
export function startWords(
  { base, baseCommit, start, root, targetFrom, builtOn = [] }: Place,
  of: number | null,
): string {
  if (of !== null && start !== undefined) return `the work of task ${of}`
  if (root === undefined) return base
  const groups = targetFrom !== undefined && targetFrom !== baseCommit ? ['the groups before it'] : []
  const ids = builtOn.map(({ task }) => task)
  const tasks =
    ids.length === 0 ? [] : [`the work of ${ids.length === 1 ? 'task' : 'tasks'} ${ids.join(', ')}`]
  const parts = [...groups, ...tasks]
  return `${base} with ${parts.join(' and ') || 'the work of other tasks'}`
}
