#!/usr/bin/env node
/**
 * Checks from outside whether Umpire kept its promises in a repository. It shares no code with Umpire: it implements
 * the documented rules a second time and compares them with the journal, the tables and git. It only reads.
 *
 *   node check.mjs REPOSITORY [--json]
 *
 * Exit code 0: every rule holds. 1: some do not, and it prints each violation with its place. 2: the check could not
 * run.
 */
import { findViolations } from './find-violations.mjs'
import { openGit } from './read-git.mjs'
import { openHistory } from './read-history.mjs'
import { plain } from './violation.mjs'

async function main(args) {
  const json = args.includes('--json')
  const [folder, ...more] = args.filter((argument) => argument !== '--json')
  if (folder === undefined || more.length > 0 || folder.startsWith('-')) {
    throw new Error('Usage: node check.mjs REPOSITORY [--json]')
  }
  const git = openGit(folder)
  const history = await openHistory(git.database())
  try {
    const violations = findViolations(history, git)
    const counts = { tasks: history.tasks.size, events: history.events.length }
    if (json) console.log(JSON.stringify({ ok: violations.length === 0, ...counts, violations }, null, 2))
    else print(violations, counts)
    return violations.length === 0 ? 0 : 1
  } finally {
    history.close()
  }
}

function print(violations, { tasks, events }) {
  for (const { rule, stream, version, seq, text } of violations) {
    const place = [
      stream,
      version === null ? '' : ` version ${version}`,
      seq === null ? '' : ` (seq ${seq})`,
    ].join('')
    console.log(plain(`${rule}: ${place}: ${text}.`))
  }
  const found = violations.length === 0 ? 'everything holds' : `${violations.length} violations`
  console.log(`${tasks} tasks, ${events} events: ${found}.`)
}

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  console.error(plain(`check: ${error.message}`))
  process.exitCode = 2
}
