/**
 * Records a short real session of the command as an animated SVG: `npm run record` writes docs/session.svg. The
 * commands run in a throwaway repository with the demo's scripted agents. Every line appears at its real time.
 */
import { execFileSync, spawn } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { renderRecording } from './render-recording.mjs'

const umpire = fileURLToPath(new URL('../dist/main.js', import.meta.url))
const story = fileURLToPath(new URL('../examples/demo/', import.meta.url))
const target = process.argv[2] ?? fileURLToPath(new URL('../docs/session.svg', import.meta.url))

const commands = [
  ['add', 'Greet in French', '-d', 'with a test'],
  ['add', 'Delete all users'],
  ['work'],
  ['merge', '1'],
  ['status'],
]

/** Pauses give the viewer time to read: a recording that hurries can't be followed. */
const pauseMs = { typed: 700, ended: 900 }

const folder = mkdtempSync(join(tmpdir(), 'umpire-record-'))
try {
  makeRepository(folder)
  const lines = []
  let now = 0
  for (const args of commands) {
    lines.push({ at: now, text: `\u001b[1m$ umpire ${args.map(quoted).join(' ')}\u001b[0m` })
    now += pauseMs.typed
    const began = Date.now()
    let last = 0
    for await (const text of run(args)) {
      last = Date.now() - began
      lines.push({ at: now + last, text })
    }
    now += last + pauseMs.ended
  }
  writeFileSync(target, renderRecording(lines, now + 4_000))
  console.log(`${lines.length} lines, ${Math.round(now / 1000)} s, in ${target}`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function makeRepository(cwd) {
  const git = (...args) => execFileSync('git', args, { cwd, stdio: 'ignore' })
  git('init', '--initial-branch=main')
  git('config', 'user.name', 'Ada')
  git('config', 'user.email', 'ada@localhost')
  for (const name of ['umpire.yaml', 'script.yaml', 'greet.mjs', 'check.mjs'])
    copyFileSync(join(story, name), join(cwd, name))
  git('add', '.')
  git('commit', '--message', 'A program that says hello')
}

async function* run(args) {
  const env = { ...process.env, FORCE_COLOR: '1', USER: 'ada' }
  const child = spawn(process.execPath, [umpire, ...args], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let rest = ''
  for await (const piece of child.stdout.setEncoding('utf8')) {
    const lines = (rest + piece).split('\n')
    rest = lines.pop()
    yield* lines
  }
}

function quoted(word) {
  return /^[\w.-]+$/.test(word) ? word : JSON.stringify(word)
}
