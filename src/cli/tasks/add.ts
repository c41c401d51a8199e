import { UserError } from '../../core/errors.ts'
import { newTask } from '../../core/task.ts'
import { checkTask } from '../../moves/check-task.ts'
import { fileTask } from '../../moves/make-move.ts'
import type { Invocation } from '../invocation.ts'
import { print } from '../screen/print.ts'
import { writeStore } from '../with-store.ts'
import { type TaskOptions, taskChanges } from './task-options.ts'

/** `from` is a dash when the description comes from standard input. `--file -` means the same. */
export async function add(
  title: string,
  from: '-' | undefined,
  options: TaskOptions,
  invocation: Invocation,
): Promise<void> {
  if (from && options.file !== undefined)
    throw new UserError('--file and - both give the description.', 'Give only one of them.')
  const given = from ? { ...options, file: from } : options
  const task = { ...newTask(title.trim()), ...(await taskChanges(given, invocation)) }
  checkTask(task)
  const id = await writeStore(invocation, (store, repository) => fileTask(task, store, repository))
  print(`#${id}`, invocation)
}
