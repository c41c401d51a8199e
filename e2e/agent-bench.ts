/** A bench where a real program has both roles, and a scripted model answers it. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { afterEach } from 'vitest'
import { oneLine } from '../src/lib/text/printable.ts'
import type { Files } from '../test/support/repository.ts'
import { type Bench, openBench, type Ran } from '../test/support/umpire.ts'
import { binOf, type Cli } from './clis.ts'
import type { Script, Step } from './model/script.ts'
import { type Model, openModel } from './model/serve.ts'

export interface AgentBench extends Bench {
  model: Model
}

export interface AgentBenchOptions {
  developer?: Step[][]
  reviewer?: Step[][]
  /** Overrides the configuration, key by key. */
  config?: Record<string, unknown>
  /** More settings for one of the roles, in addition to what the program needs. */
  roles?: { developer?: Record<string, unknown>; reviewer?: Record<string, unknown> }
  /** Used instead of the model's own port. */
  port?: number
  files?: Files
}

const models = new Set<Model>()

export async function openAgentBench(cli: Cli, options: AgentBenchOptions = {}): Promise<AgentBench> {
  const script: Script = { developer: options.developer ?? [], reviewer: options.reviewer ?? [] }
  const model = await openModel(script)
  models.add(model)
  const port = options.port ?? model.port
  const role = { agent: cli.name, ...cli.role(port) }
  const bench = openBench({
    place: 'disk',
    config: {
      roles: {
        developer: { ...role, ...options.roles?.developer },
        reviewer: { ...role, ...options.roles?.reviewer },
      },
      limits: { develop: '90s', review: '90s', idle: '60s', agent_retries: 0 },
      ...options.config,
    },
    ...(options.files ? { files: options.files } : {}),
  })
  bench.env.PATH = [binOf(cli.name), bench.env.PATH].join(delimiter)
  // Codex does not trust a home folder inside the folder for temporary files.
  bench.env.TMPDIR = join(bench.folder, 'tmp')
  mkdirSync(bench.env.TMPDIR)
  for (const [path, text] of Object.entries(cli.home?.({ checkout: bench.root, port }) ?? {})) {
    const file = join(bench.env.HOME ?? '', path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  return { ...bench, model }
}

/** Seconds until the program reaches its first command; more on a busy machine. */
export function soonFor({ startSeconds }: Cli): number {
  const [load = 0] = loadavg()
  return Math.ceil(startSeconds * Math.max(1, load / availableParallelism()))
}

/** Gives the verdict with the session's own tool. */
export function verdict(review: Record<string, unknown>): Step {
  return { tool: 'set_loop_review_result$', input: review }
}

const intent = { interpretedIntent: 'A file that says two.', intentSatisfied: true }

export const approval = { verdict: 'APPROVED', summary: 'Good.', ...intent, issues: [] }

export function rejection(file: string): Record<string, unknown> {
  const issue = { file, line: 1, type: 'bug', severity: 'blocking', description: 'It must say two.' }
  return { verdict: 'CHANGES_REQUESTED', summary: 'Not yet.', issues: [issue] }
}

/** What happened on both sides, shown when a test fails. */
export function story({ model }: AgentBench, { stdout, stderr }: Pick<Ran, 'stdout' | 'stderr'>): string {
  const heard = model.heard.map(({ role, session, results, answered }) => {
    const last = results.at(-1)
    return `${role} ${session}: ${last === undefined ? '' : `(${oneLine(last, 300)}) `}→ ${oneLine(answered, 100)}`
  })
  return [stdout, stderr, 'The model heard and answered:', ...heard, ''].join('\n')
}

afterEach(async () => {
  for (const model of models) await model.close()
  models.clear()
})
