import { UserError } from '../../core/errors.ts'
import { oneLine } from '../../lib/text/printable.ts'
import { exportPlan } from '../../plan/export-plan.ts'
import { type ImportedTask, importPlan } from '../../plan/import-plan.ts'
import type { Invocation } from '../invocation.ts'
import { print, printJson } from '../screen/output.ts'
import { readStore, writeStore } from '../with-store.ts'

export async function importPlans(
  paths: string[],
  options: { json?: boolean },
  invocation: Invocation,
): Promise<void> {
  const report = await writeStore(invocation, (store, repository) =>
    importPlan(paths, invocation.cwd, store, repository),
  )
  if (options.json) return printJson(report, invocation)
  for (const task of report.tasks) print(importedLine(task), invocation)
  for (const { file, why } of report.skipped) print(`skipped ${file}: it ${why}`, invocation)
}

function importedLine({ id, did, title, note }: ImportedTask): string {
  const what = `#${id} ${did}  ${oneLine(title, 60)}`
  return note === null ? what : `${what}  (it ${note})`
}

export async function exportPlans(
  folder: string,
  options: { json?: boolean },
  invocation: Invocation,
): Promise<void> {
  const files = await readStore(
    invocation,
    (store) => exportPlan(folder, invocation.cwd, store),
    () => {
      throw new UserError('There are no tasks to export.', 'Add one with: umpire add "What to do"')
    },
  )
  if (options.json) return printJson({ files }, invocation)
  for (const { id, file, did } of files) print(`#${id} ${did}  ${oneLine(file, 300)}`, invocation)
}
