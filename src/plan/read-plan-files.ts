/** Finds and reads the named plan files, and the Markdown files of named folders. Collects problems instead of throwing. */

import { constants } from 'node:fs'
import { open, readdir, realpath, stat } from 'node:fs/promises'
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { codeOf } from '../lib/error-code.ts'
import { oneLine } from '../lib/text/printable.ts'
import type { ImportedFile } from './decide-import.ts'
import { parsePlan } from './format/parse-plan.ts'
import type { PlanProblem } from './format/plan-file.ts'

export interface ReadPlans {
  files: ImportedFile[]
  /** Markdown files in the folders that are not plan files. */
  others: { file: string; why: string }[]
  problems: PlanProblem[]
}

/** Far more than a person writes for an agent. */
const mostBytes = 1024 * 1024

export async function readPlanFiles(paths: string[], cwd: string, root: string): Promise<ReadPlans> {
  const found: ReadPlans = { files: [], others: [], problems: [] }
  const seen = new Set<string>()
  const top = await realpath(root)
  for (const path of paths) {
    for (const { file, shown, named } of await listFiles(path, cwd, found.problems)) {
      if (seen.has(file)) continue
      seen.add(file)
      const text = await readText(file)
      if ('wrong' in text) {
        found.problems.push({ file: shown, line: null, text: text.wrong })
        continue
      }
      const parsed = parsePlan(shown, text.text)
      const where = { file: shown, folder: planName(dirname(file), top) }
      if (parsed.kind === 'malformed') {
        found.problems.push(...parsed.problems)
        if (parsed.rest) found.files.push({ ...where, ...parsed.rest, isPartial: true })
      } else if (parsed.kind === 'task') found.files.push({ ...where, ...parsed })
      else if (named)
        found.problems.push({ file: shown, line: null, text: `${parsed.why}, so it is not a plan file` })
      else found.others.push({ file: shown, why: parsed.why })
    }
  }
  return found
}

interface ListedFile {
  /** With links resolved, so that one file under two names is recognised. */
  file: string
  /** The path as shown to a person. */
  shown: string
  /** Named by the person, not only found in a folder. */
  named: boolean
}

async function listFiles(path: string, cwd: string, problems: PlanProblem[]): Promise<ListedFile[]> {
  const shown = oneLine(path, 300)
  try {
    const real = await realpath(resolve(cwd, path))
    if (!(await stat(real)).isDirectory()) return [{ file: real, shown, named: true }]
    const names = (await readdir(real)).filter((name) => /^[^.].*\.md$/i.test(name))
    if (names.length === 0) problems.push({ file: shown, line: null, text: 'contains no Markdown files' })
    return names
      .sort((one, other) => one.localeCompare(other, 'en', { numeric: true }))
      .map((name) => ({ file: join(real, name), shown: oneLine(join(path, name), 300), named: false }))
  } catch (error) {
    problems.push({ file: shown, line: null, text: whyNot(error) })
    return []
  }
}

/** Does not follow links in a folder: the plan's author may have no right to read what a link points to. */
async function readText(path: string): Promise<{ text: string } | { wrong: string }> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
    try {
      const found = await file.stat()
      if (!found.isFile()) return { wrong: 'is not a regular file' }
      if (found.size > mostBytes) return { wrong: `is larger than ${mostBytes / 1024} KiB` }
      const bytes = await file.readFile()
      return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) }
    } finally {
      await file.close()
    }
  } catch (error) {
    return { wrong: whyNot(error) }
  }
}

function whyNot(error: unknown): string {
  const code = codeOf(error)
  switch (code) {
    case 'ERR_ENCODING_INVALID_ENCODED_DATA':
      return 'is not UTF-8 text'
    case 'ENOENT':
    case 'ENOTDIR':
      return 'does not exist'
    case 'ELOOP':
    case 'EMLINK':
      return 'is a symbolic link; name the file that it points to'
    case 'EACCES':
    case 'EPERM':
      return 'cannot be read: permission denied'
    case 'ENXIO':
      return 'is not a regular file'
  }
  if (typeof code === 'string') return `cannot be read: ${code}`
  throw error
}

/** The folder relative to the top of the repository, so that it names the same plan in every checkout. */
function planName(folder: string, top: string): string {
  const inside = relative(top, folder)
  if (inside === '') return '.'
  const outside = isAbsolute(inside) || inside === '..' || inside.startsWith(`..${sep}`)
  return (outside ? folder : inside).split(sep).join('/')
}
