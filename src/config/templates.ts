/**
 * Reads a project's own prompts from the checkout in which Umpire was started, never from a worktree: a developer must
 * not be able to rewrite its reviewer's prompt.
 */

import { lstat, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { developParts, placeholdersIn, reviewParts } from '../core/policy/prompt-template.ts'
import { parseCommand, usualCommand } from '../core/policy/review-command.ts'
import { codeOf } from '../lib/error-code.ts'
import type { Template, Templates } from './config.ts'
import { promptsFolder as folder } from './config-files.ts'
import type { Problem } from './yaml/problem.ts'

const mostBytes = 256 * 1024

/** Command names that can be a prompt file. Any other command belongs to the agent alone. */
const plainName = /^[A-Za-z0-9][\w-]*$/

/** `problemWith` says where the command is configured. */
export async function readTemplates(
  root: string,
  command: string,
  problemWith: (text: string) => Problem,
): Promise<{ templates: Templates; problems: Problem[] }> {
  const { name, arguments: given } = parseCommand(command) ?? { name: '', arguments: '' }
  const [review, develop] = await Promise.all([
    plainName.test(name) ? readTemplate(root, name, reviewParts) : nothing,
    readTemplate(root, 'develop-task', developParts),
  ])
  const problems = [...review.problems, ...develop.problems]
  const takesArguments = placeholdersIn(review.template?.text ?? '').some((each) => each.name === 'arguments')
  // An agent's own command reads its arguments. Our prompt or the project's must have a placeholder for them.
  const unread = given !== '' && !takesArguments && (review.template !== null || `/${name}` === usualCommand)
  if (unread && review.problems.length === 0) {
    const file = `${folder}/${name}.md`
    problems.push(
      problemWith(`nothing reads ${JSON.stringify(given)}; put {{arguments}} into ${file} where it belongs`),
    )
  }
  return { templates: { review: review.template, develop: develop.template }, problems }
}

interface Read {
  template: Template | null
  problems: Problem[]
}

const nothing: Read = { template: null, problems: [] }

async function readTemplate(root: string, name: string, known: readonly string[]): Promise<Read> {
  const path = `${folder}/${name}.md`
  const file = join(root, path)
  const refuse = (text: string, line: number | null = null): Read => ({
    template: null,
    problems: [{ file, line, path: [], text }],
  })
  try {
    const found = await lstat(file)
    // A link may point to any file, and its content would be sent to a model.
    if (!found.isFile()) return refuse('is not a regular file')
    if (found.size > mostBytes) return refuse(`is larger than ${mostBytes / 1024} KiB`)
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await readFile(file))
    if (text.trim() === '') return refuse('is empty; write a prompt into it or delete it')
    const unknown = placeholdersIn(text).filter((each) => !known.includes(each.name))
    const list = known.map((each) => `{{${each}}}`).join(', ')
    return {
      template: { file: path, text },
      problems: unknown.map(({ name: wrong, line }) => ({
        file,
        line,
        path: [],
        text: `there is no {{${wrong}}}; known here: ${list}`,
      })),
    }
  } catch (error) {
    const code = codeOf(error)
    if (code === 'ENOENT' || code === 'ENOTDIR') return nothing
    if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return refuse('is not UTF-8 text')
    if (typeof code === 'string') return refuse(`cannot be read: ${code}`)
    throw error
  }
}
