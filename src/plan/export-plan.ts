/**
 * Writes every task as a plan file. What lies there already is looked at first, and nothing is written where something
 * would be lost: files of others, and exported ones that somebody changed since.
 */
import { lstat, mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { UserError } from '../core/errors.ts'
import type { Task } from '../core/task.ts'
import { readRegular } from '../lib/file/read-regular.ts'
import { createAtomically, writeAtomically } from '../lib/file/write-atomically.ts'
import { oneLine } from '../lib/text/printable.ts'
import type { Store } from '../store/store.ts'
import { slugOf } from '../vcs/git/plan-place.ts'
import { parsePlan } from './format/parse-plan.ts'
import type { ExportMark, PlanFile } from './format/plan-file.ts'
import { isUntouched, renderPlan, saysTheSame } from './format/render-plan.ts'
import { readFiled, storeName } from './import-plan.ts'
import type { Filed } from './match-filed.ts'

export interface ExportedFile {
  id: number
  file: string
  did: 'written' | 'unchanged'
}

/** As long as a file that is imported may be. */
const mostBytes = 1024 * 1024

export async function exportPlan(folder: string, store: Store): Promise<ExportedFile[]> {
  const name = await storeName(store.journal)
  const filed = await readFiled(store)
  if (name === null || filed.length === 0)
    throw new UserError('There are no tasks to export.', 'File one with: umpire add "What is to be done"')
  await makeFolder(folder)
  const present = await readPresent(folder)
  const wanted = filed.map((each) => planOf(each, filed))
  const files = wanted.map(({ plan, id }) => {
    const text = renderPlan(plan, { id, store: name })
    // It keeps the name it got first, or a new title would leave the task there twice.
    const known = present.find(({ mark }) => mark?.id === id && mark.store === name)
    const file = known?.file ?? `${String(id).padStart(2, '0')}-${slugOf(plan.title)}.md`
    return { id, plan, text, file, there: known ?? present.find((other) => other.file === file) ?? null }
  })
  refuseLosses(files, name, folder)
  const exported: ExportedFile[] = []
  for (const { id, file, text, there } of files) {
    const did = there?.text === text ? 'unchanged' : 'written'
    if (did === 'written') await write(folder, file, text, there !== null)
    exported.push({ id, file: join(folder, file), did })
  }
  return exported
}

interface PresentFile {
  file: string
  /** Null for what is no file, or can't be read. */
  text: string | null
  mark: ExportMark | null
}

/** Everything in the folder that a file of ours could meet. */
async function readPresent(folder: string): Promise<PresentFile[]> {
  const present: PresentFile[] = []
  for (const file of (await readdir(folder)).filter((name) => /\.md$/i.test(name))) {
    const text = await readRegular(join(folder, file), mostBytes)
    const parsed = text === null ? null : parsePlan(file, text)
    present.push({ file, text, mark: parsed?.kind === 'task' ? parsed.plan.mark : null })
  }
  return present
}

interface PlannedFile {
  id: number
  file: string
  plan: Omit<PlanFile, 'mark'>
  there: PresentFile | null
}

function refuseLosses(files: PlannedFile[], store: string, folder: string): void {
  const foreign: string[] = []
  const changed: string[] = []
  for (const { id, file, plan, there } of files) {
    if (!there) continue
    const { text, mark } = there
    const shown = oneLine(join(folder, file), 300)
    if (text === null || mark?.id !== id || mark.store !== store) foreign.push(shown)
    else if (!isUntouched(text, mark.digest) && !saysTheSame(text, plan)) changed.push(shown)
  }
  const lines = [
    ...foreign.map((file) => `${file}: was not written by umpire export of this repository`),
    ...changed.map((file) => `${file}: was changed since it was exported`),
  ]
  if (lines.length === 0) return
  throw new UserError(
    ['Nothing is exported, because these files would be lost:', ...lines].join('\n'),
    changed.length > 0
      ? 'umpire import takes changes in; move what is not to be imported elsewhere, or export to another folder.'
      : 'Move them elsewhere, or export to another folder.',
  )
}

/** Whatever a title contains, only letters, digits and dashes of it are in the name, so nothing gets out of the folder. */
async function write(folder: string, file: string, text: string, replaces: boolean): Promise<void> {
  const path = join(folder, file)
  if (replaces) return writeAtomically(path, text, 0o666)
  if ((await createAtomically(path, text, 0o666)) === 'exists')
    throw new UserError(`${oneLine(path, 300)} was made by somebody else just now.`, 'Export again.')
}

/** A link in its place would have the files end up elsewhere. */
async function makeFolder(folder: string): Promise<void> {
  const found = await lstat(folder).catch(() => null)
  const shown = oneLine(folder, 300)
  if (found?.isSymbolicLink())
    throw new UserError(`${shown} is a symbolic link.`, 'Name the folder that it leads to.')
  if (found && !found.isDirectory()) throw new UserError(`${shown} is no folder.`, 'Name another place.')
  if (found) return
  try {
    await mkdir(folder, { recursive: true })
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : error
    throw new UserError(`${shown} can't be made (${code}).`, 'Name another place.')
  }
}

/** The plan's numbers are Umpire's own. What a task depends on that is no longer there can't be named. */
function planOf({ id, task, status }: Filed, filed: Filed[]): { id: number; plan: Omit<PlanFile, 'mark'> } {
  const { title, description, scope, accept, gates, dependsOn, group, of } = task
  const isThere = (other: number) => filed.some((each) => each.id === other)
  return {
    id,
    plan: {
      task: id,
      title,
      status,
      description,
      scope,
      accept,
      gates,
      dependsOn: dependsOn.filter(isThere),
      group,
      of: of !== null && isThere(of) ? of : null,
      settings: settingsOf(task),
    },
  }
}

function settingsOf(task: Task): PlanFile['settings'] {
  const { type, autoReview, maxCycles, effort, agent, model, reviewer, reviewModel } = task
  return {
    ...(type !== 'implement' && { type }),
    ...(autoReview !== null && { autoReview }),
    ...(maxCycles !== null && { maxCycles }),
    ...(effort !== null && { effort }),
    ...(agent !== null && { agent }),
    ...(model !== null && { model }),
    ...(reviewer !== null && { reviewer }),
    ...(reviewModel !== null && { reviewModel }),
  }
}
