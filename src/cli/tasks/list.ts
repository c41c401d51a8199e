import { statusLine } from '../../view/status-line.ts'
import { outputPaint, outputWidth } from '../screen/colours.ts'
import { print, printJson } from '../screen/print.ts'
import { readStore } from '../with-store.ts'

export async function list(options: { all?: boolean; json?: boolean }): Promise<void> {
  const tasks = await readStore(
    (store) => store.archive.tasks(),
    () => [],
  )
  const shown = options.all
    ? tasks
    : tasks.filter(({ status }) => status !== 'completed' && status !== 'cancelled')
  if (options.json) return printJson({ tasks: shown })
  if (shown.length === 0)
    return print('The queue is empty. File a task with: umpire add "What is to be done"')
  const paint = outputPaint()
  for (const task of shown) print(statusLine(task, paint, outputWidth()))
}
