/**
 * Writes every task as a plan file. It first checks the existing files and writes nothing if anything would be lost:
 * files that it did not write, and exported files that were changed since.
 */

import { lstat, mkdir, readdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { UserError } from '../core/errors.ts'
import type { Task } from '../core/task.ts'
import { codeOf } from '../lib/error-code.ts'
import { readRegular } from '../lib/file/read-regular.ts'
import { createAtomically, writeAtomically } from '../lib/file/write-atomically.ts'
import { oneLine } from '../lib/text/printable.ts'
import type { Store } from '../store/store.ts'
import { slugOf } from '../vcs/git/plan-place.ts'
import type { Filed } from './find-filed.ts'
import { parsePlan } from './format/parse-plan.ts'
import type { ExportMark, PlanFile } from './format/plan-file.ts'
import { isUntouched, renderPlan, saysTheSame } from './format/render-plan.ts'
import { readFiled, storeName } from './import-plan.ts'

export interface ExportedFile {
  id: number
  file: string
  did: 'written' | 'unchanged'
}

/** The same limit as for imported files. */
const mostBytes = 1024 * 1024

export async function exportPlan(shown: string, cwd: string, store: Store): Promise<ExportedFile[]> {
  const folder = resolve(cwd, shown)
  const name = await storeName(store.journal)
  const filed = await readFiled(store)
  if (name === null || filed.length === 0)
    throw new UserError('There are no tasks to export.', 'Add one with: umpire add "TITLE"')
  await makeFolder(folder, shown)
  const present = await readPresent(folder)
  const wanted = filed.map((each) => planOf(each, filed))
  const files = wanted.map(({ plan, id }) => {
    const text = renderPlan(plan, { id, store: name })
    // The file keeps its first name. Otherwise a new title would leave the task there twice.
    const known = present.find(({ mark }) => mark?.id === id && mark.store === name)
    const file = known?.file ?? `${String(id).padStart(2, '0')}-${slugOf(plan.title)}.md`
    return { id, plan, text, file, there: known ?? present.find((other) => other.file === file) ?? null }
  })
  refuseLosses(files, name, shown)
  const exported: ExportedFile[] = []
  for (const { id, file, text, there } of files) {
    const did = there?.text === text ? 'unchanged' : 'written'
    if (did === 'written') await write(join(folder, file), join(shown, file), text, there !== null)
    exported.push({ id, file: join(shown, file), did })
  }
  return exported
}

interface PresentFile {
  file: string
  /** Null if it is not a file or can't be read. */
  text: string | null
  mark: ExportMark | null
}

/** Everything in the folder that our files could collide with. */
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
    ['Nothing was exported, because it would overwrite these files:', ...lines].join('\n'),
    changed.length > 0
      ? 'To keep changes, run umpire import first. Otherwise move the files away, or export to another folder.'
      : 'Move them away, or export to another folder.',
  )
}

/** A file name contains only letters, digits and dashes of the title, so no title can leave the folder. */
async function write(path: string, shown: string, text: string, replaces: boolean): Promise<void> {
  if (replaces) return writeAtomically(path, text, 0o666)
  if ((await createAtomically(path, text, 0o666)) === 'exists')
    throw new UserError(`Another program has just created ${oneLine(shown, 300)}.`, 'Export again.')
}

/** A symbolic link here would send the files to another place. */
async function makeFolder(folder: string, named: string): Promise<void> {
  const found = await lstat(folder).catch(() => null)
  const shown = oneLine(named, 300)
  if (found?.isSymbolicLink())
    throw new UserError(`${shown} is a symbolic link.`, 'Name the folder that it points to.')
  if (found && !found.isDirectory()) throw new UserError(`${shown} is not a folder.`, 'Name another place.')
  if (found) return
  try {
    await mkdir(folder, { recursive: true })
  } catch (error) {
    const code = codeOf(error) ?? error
    throw new UserError(`${shown} can't be created (${code}).`, 'Name another place.')
  }
}

/** The plan uses Umpire's own task numbers. Dependencies on deleted tasks are left out. */
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
