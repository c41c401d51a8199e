import { oneLine } from '../lib/text/printable.ts'
import { type Cleaned, cleanUp } from '../moves/clean-up.ts'
import type { Invocation } from './invocation.ts'
import { print, printJson } from './screen/output.ts'
import { readStore, writeStore } from './with-store.ts'

export async function clean(options: { json?: boolean }, invocation: Invocation): Promise<void> {
  // In a repository without tasks, this creates no database.
  const filed = await readStore(
    invocation,
    async () => true,
    () => false,
  )
  const cleaned = filed ? await writeStore(invocation, cleanUp) : []
  if (options.json) {
    const tasks = cleaned.flatMap(({ task, branch, result }) =>
      task ? [{ id: task.id, branch, ...result }] : [],
    )
    const groups = cleaned.flatMap(({ task, branch, result }) => (task ? [] : [{ branch, ...result }]))
    return printJson({ tasks, ...(groups.length > 0 && { groups }) }, invocation)
  }
  for (const line of cleaned.map(cleanedLine)) print(line, invocation)
  if (cleaned.length === 0) print('There is nothing to clean.', invocation)
}

function cleanedLine({ branch: name, result }: Cleaned): string {
  const branch = oneLine(name)
  if (result.kind !== 'removed')
    return `kept     ${branch}: ${result.kind === 'kept' ? oneLine(result.why) : 'nothing'}`
  const was = result.was === null ? '' : ` (was ${result.was.slice(0, 10)})`
  return `removed  ${branch}${was}${result.kept === null ? '' : `; unmerged commits are kept as ${result.kept}`}`
}
