/** Everything that `umpire doctor` checks, ordered so that each check comes after what it needs. Changes nothing. */

import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { readConfig } from '../app/read-config.ts'
import { databasePath, openExistingStore, openRepository, type Repository } from '../app/repository.ts'
import { UserError } from '../core/errors.ts'
import { withRest } from '../core/listed.ts'
import { packageFile } from '../lib/file/package-files.ts'
import { exec } from '../lib/process/exec.ts'
import { type Employment, examineAgents, examineInstalled } from './examine-agents.ts'
import { examineHome, examineLeftovers } from './examine-home.ts'
import { examineMachine, examineSandbox } from './examine-machine.ts'
import { examineNotify } from './examine-notify.ts'
import { examineRepository } from './examine-repository.ts'
import { type Finding, fine, orWrong, wrong } from './finding.ts'

export async function examine(
  { cwd, env }: { cwd: string; env: NodeJS.ProcessEnv },
  depth: 'quick' | 'full',
): Promise<Finding[]> {
  const basics = await examineMachine(env)
  const hasGit = !basics.some(({ name, state }) => name === 'git' && state === 'wrong')
  const repository = hasGit ? await openRepository(cwd, env).catch(orUserError) : null
  const machine = [
    ...basics,
    await examineSandbox(env),
    ...(await examineInstalled(env, await employmentsIn(repository))),
  ]
  if (repository === null) return machine
  if (repository instanceof UserError)
    return [...machine, wrong('repository', repository.message, repository.fix)]

  const findings = [...machine, ...(await examineRepository(repository))]
  findings.push(...(await examineHome(repository, depth)))
  findings.push(...(await examineAgents(repository)))
  findings.push(...(await examineNotify(repository)))
  const readable = !findings.some(({ name, state }) => name === 'database' && state === 'wrong')
  if (!readable || !existsSync(databasePath(repository))) return findings
  findings.push(...(await orWrong('attempts', () => examineStore(repository))))
  if (depth === 'full') findings.push(await checkHistory(repository))
  return findings
}

function orUserError(error: unknown): UserError {
  if (error instanceof UserError) return error
  throw error
}

/** Empty if the configuration can't be read; another finding reports that. */
async function employmentsIn(repository: Repository | UserError | null): Promise<Employment[]> {
  if (repository === null || repository instanceof UserError) return []
  const read = await readConfig(repository).catch(orUserError)
  if (read instanceof UserError) return []
  return Object.entries(read.config.roles).flatMap(([role, settings]) =>
    settings ? [{ role, agent: settings.agent, env: settings.env }] : [],
  )
}

async function examineStore(repository: Repository): Promise<Finding[]> {
  const store = await openExistingStore(repository)
  if (!store) return []
  try {
    return await examineLeftovers(repository, store)
  } finally {
    await store.close()
  }
}

const mostShown = 20

/** The independent checker is a separate program that shares no code with this one. */
async function checkHistory({ home, ownEnv }: Repository): Promise<Finding> {
  const name = 'history'
  const program = packageFile('checker/check.mjs')
  const argv: [string, ...string[]] = [process.execPath, program, dirname(home)]
  const { code, stdout, stderr } = await exec(argv, { env: ownEnv })
  const lines = stdout.toString('utf8').trimEnd().split('\n')
  const conclusion = lines.pop() ?? ''
  if (code === 0) return fine(name, conclusion)
  if (code !== 1) return wrong(name, `the check could not run: ${stderr.trim()}`, null)
  const again = `node ${program} ${dirname(home)} --json`
  return wrong(
    name,
    [conclusion, ...withRest(lines, mostShown)].join('\n'),
    `Do not trust the history of these tasks. For the whole list: ${again}`,
  )
}
