/**
 * Umpire as a library. This program adds a task, brings its own agent and its own channel, prints the events while
 * developer and reviewer take turns, and merges the approved work. Run `npm run build`, then:
 *
 *   node examples/library/run.mjs
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openUmpire } from 'umpire'

const repository = mkdtempSync(join(tmpdir(), 'umpire-library-'))
const git = (...args) => execFileSync('git', ['-C', repository, ...args], { encoding: 'utf8' })
git('init', '-q', '-b', 'main')
git('config', 'user.name', 'Example')
git('config', 'user.email', 'example@example.invalid')
writeFileSync(join(repository, 'greet.mjs'), "console.log('Hello')\n")
git('add', '.')
git('commit', '-q', '-m', 'Begin')

/** An agent is two pure functions: how to start it, and what a line of its output means. */
const pair = {
  name: 'pair',
  launch: ({ role, env }) => ({
    argv: [process.execPath, join(import.meta.dirname, 'agent.mjs'), role],
    env,
  }),
  read: (line) => [{ type: 'text', text: line }],
}

/** A channel tells the reviewer how to give a verdict, and reads it. It returns `silent` if it finds none. */
const thumbs = {
  name: 'thumbs',
  instruction: 'Or end your answer with a line of its own: THUMBS followed by UP or DOWN.',
  read({ answer }) {
    const [, thumb] = /^THUMBS (UP|DOWN)$/m.exec(answer) ?? []
    if (thumb === undefined) return { kind: 'silent' }
    const summary = answer.split('\n')[0]
    const blocking = { type: 'test-gap', severity: 'blocking', description: summary, file: 'greet.mjs' }
    const rest = { id: null, line: null, section: null, suggestion: null, witness: null, status: null }
    return {
      kind: 'review',
      review: {
        verdict: thumb === 'UP' ? 'APPROVED' : 'CHANGES_REQUESTED',
        summary,
        interpretedIntent: null,
        intentSatisfied: null,
        scores: {},
        blocking: false,
        issues: thumb === 'UP' ? [] : [{ ...rest, ...blocking }],
      },
    }
  },
}

const umpire = await openUmpire({
  cwd: repository,
  settings: { roles: { developer: 'pair', reviewer: 'pair' }, gates: { runs: 'node greet.mjs' } },
  agents: [pair],
  channels: [thumbs],
})
const watching = new AbortController()
try {
  const told = (async () => {
    for await (const event of umpire.events(0, watching.signal))
      console.log(`  ${event.type}: ${event.message}`)
  })()

  const id = await umpire.add({ title: 'Say goodbye, too', accept: ['There is a test'] })
  const [task] = await umpire.run({ tasks: [id] })
  console.log(`#${id} is ${task.status}, ${task.verdict} after ${task.cycle} reviews`)
  const merged = await umpire.merge(id)
  console.log(`merged as ${merged.landed}`)

  watching.abort()
  await told
  const { reviews } = await umpire.task(id)
  const verdicts = reviews.map((review) => review.verdict).join(', then ')
  const greeting = readFileSync(join(repository, 'greet.mjs'), 'utf8')
  if (verdicts !== 'CHANGES_REQUESTED, then APPROVED' || !greeting.includes('Goodbye'))
    throw new Error(`unexpected result: ${verdicts}`)
} finally {
  watching.abort()
  await umpire.close()
  rmSync(repository, { recursive: true, force: true })
}
