import { statusLine } from '../../view/status-line.ts'
import type { Invocation } from '../invocation.ts'
import { outputPaint, outputWidth, print, printJson } from '../screen/output.ts'
import { readStore } from '../with-store.ts'

export async function list(
  options: { all?: boolean; json?: boolean },
  invocation: Invocation,
): Promise<void> {
  const tasks = await readStore(
    invocation,
    (store) => store.archive.tasks(),
    () => [],
  )
  const shown = options.all
    ? tasks
    : tasks.filter(({ status }) => status !== 'completed' && status !== 'cancelled')
  if (options.json) return printJson({ tasks: shown }, invocation)
  if (shown.length === 0)
    return print('The queue is empty. Add a task with: umpire add "What to do"', invocation)
  const paint = outputPaint(invocation)
  for (const task of shown) print(statusLine(task, paint, outputWidth(invocation)), invocation)
}
