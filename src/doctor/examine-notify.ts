/** Checks whether each entry of `notify` can work here, and what was not delivered lately. Sends nothing. */
import { existsSync } from 'node:fs'
import { channelKey, findDesktop } from '../app/announcements.ts'
import { readConfig } from '../app/read-config.ts'
import { databasePath, type Repository } from '../app/repository.ts'
import type { NotifyEntry } from '../config/config.ts'
import { UserError } from '../core/errors.ts'
import { exec } from '../lib/process/exec.ts'
import { desktopPrograms } from '../notify/desktop.ts'
import { openOutbox } from '../notify/outbox.ts'
import { doubtful, type Finding, fine, wrong } from './finding.ts'

export async function examineNotify(repository: Repository): Promise<Finding[]> {
  const entries = await readEntries(repository)
  if (entries.length === 0) return []
  const undelivered = await readUndelivered(repository)
  return Promise.all(
    entries.map(async (entry) => {
      const finding = await examineEntry(entry, repository)
      const missed = undelivered.get(channelKey(entry))
      if (finding.state === 'wrong' || !missed) return finding
      const text = `${finding.text}; ${missed.count} not delivered in the last week${missed.error ? `, most recently: ${missed.error}` : ''}`
      return doubtful(finding.name, text, finding.fix)
    }),
  )
}

/** Another finding reports a configuration that can't be read. */
async function readEntries({ root, env }: Repository): Promise<NotifyEntry[]> {
  try {
    return (await readConfig({ root, env })).config.notify
  } catch (error) {
    if (error instanceof UserError) return []
    throw error
  }
}

async function readUndelivered(repository: Repository) {
  const path = databasePath(repository)
  if (!existsSync(path)) return new Map()
  try {
    const outbox = await openOutbox({ path, access: 'read' }, () => new Date())
    try {
      return new Map((await outbox.undelivered()).map((missed) => [missed.channel, missed]))
    } finally {
      outbox.close()
    }
  } catch (error) {
    // Another finding reports a database that can't be read.
    if (error instanceof UserError) return new Map()
    throw error
  }
}

async function examineEntry(entry: NotifyEntry, { root, env }: Repository): Promise<Finding> {
  const name = `notify ${entry.kind}`
  switch (entry.kind) {
    case 'bell':
      return fine(name, 'rings in the terminal that umpire work runs in')
    case 'command':
      return examineCommand(name, entry.command, root, env)
    case 'webhook': {
      const { host, hostname, protocol } = new URL(entry.url)
      if (protocol === 'https:' || /^(localhost|127\.[\d.]+|\[::1\])$/.test(hostname))
        return fine(name, `posts to ${host}`)
      return doubtful(name, `posts to ${host} unencrypted`, 'Use an https:// address.')
    }
    case 'desktop': {
      const found = findDesktop(env)
      if (found) return fine(name, `shown by ${found.path}`)
      const needed = desktopPrograms(process.platform).join(' or ')
      return wrong(
        name,
        `there is no ${needed} on the PATH`,
        `Install ${desktopPrograms(process.platform)[0]}, or remove the entry from notify.`,
      )
    }
  }
}

/** If the command line begins with a plain word, asks the shell whether that program exists. */
async function examineCommand(
  name: string,
  command: string,
  cwd: string,
  env: Record<string, string>,
): Promise<Finding> {
  const [word] = /^[\w./-]+(?=\s|$)/.exec(command.trim()) ?? []
  if (word !== undefined) {
    const { code } = await exec(['/bin/sh', '-c', 'command -v -- "$1"', 'sh', word], {
      cwd,
      env,
      limitMs: 10_000,
    })
    if (code !== 0)
      return wrong(
        name,
        `it runs ${word}, which does not exist`,
        'Install it, or change the entry of notify.',
      )
  }
  return fine(name, word === undefined ? 'a shell runs it' : `runs ${word}`)
}
