/** Dependencies point down: what each folder of src/ may import. A line here is a decision; add one only with a reason. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'

const src = resolve(import.meta.dirname, '../src')

/** `folder/` is all of a folder, `folder/file.ts` that file; after `type` only what is erased when it is built. */
const allowed: Record<string, string[]> = {
  core: ['core/'],
  lib: ['lib/', 'node:'],
  prompts: ['prompts/', 'core/', 'lib/printable.ts', 'type vcs/vcs.ts', 'type weakened/fact.ts'],
  // From a diff to facts about its tests: pure, and it knows nothing of tasks.
  weakened: ['weakened/'],
  // The ports alone: which agent, store or version control is behind them is no loop's business.
  loop: [
    'loop/',
    'core/',
    'lib/',
    'prompts/',
    'agents/agent.ts',
    'attempts/attempt.ts',
    'vcs/vcs.ts',
    'sandbox/sandbox.ts',
    'verdicts/channel.ts',
    'store/journal.ts',
    'store/archive.ts',
    'store/spending.ts',
    'store/port-ranges.ts',
    'queue/work-source.ts',
    'weakened/find-weakened.ts',
  ],
  view: ['view/', 'core/', 'lib/', 'type store/archive.ts', 'type weakened/fact.ts'],

  agents: ['agents/', 'core/', 'lib/', 'acp/launch.ts', 'node:', 'yaml'],
  // A program of its own: what it is told and what it prints is all that the adapter shares with it.
  acp: ['acp/', 'lib/', 'agents/json-line.ts', 'node:', '@agentclientprotocol/sdk'],
  attempts: ['attempts/', 'core/', 'lib/', 'node:'],
  vcs: ['vcs/', 'core/', 'lib/', 'node:'],
  sandbox: ['sandbox/', 'lib/', 'node:'],
  verdicts: ['verdicts/', 'core/', 'jsonrepair'],
  store: ['store/', 'core/', 'lib/', 'node:', '@photostructure/sqlite'],
  // The local queue is two tables in the database that the journal is in.
  queue: ['queue/', 'core/', 'lib/', 'store/database.ts'],
  // So is the outbox; the words for a task that waits for a person are the same on every screen.
  notify: [
    'notify/',
    'core/',
    'lib/',
    'node:',
    'view/person-needed.ts',
    'store/database.ts',
    'type store/archive.ts',
    'type store/journal.ts',
  ],
  config: ['config/', 'core/', 'node:', 'yaml', 'zod', 'type verdicts/channel.ts'],

  // From what lies in a checkout to what its configuration should say: pure, so it can't run anything of the project.
  setup: ['setup/', 'lib/'],

  // Between Markdown and tasks: pure, so what a plan says is never more than data. Its front matter is read as the configuration is.
  plan: [
    'plan/',
    'core/',
    'lib/',
    'config/nearest.ts',
    'config/parse-yaml.ts',
    'config/source-tree.ts',
    'node:util',
  ],

  // The composition root: the sole importer of adapters and of the loop.
  app: [
    'app/',
    'core/',
    'lib/',
    'loop/',
    'view/',
    'agents/',
    'attempts/',
    'vcs/',
    'sandbox/',
    'verdicts/',
    'store/',
    'queue/',
    'notify/',
    'config/',
    'setup/',
    'plan/',
    '@pydantic/genai-prices',
    'node:',
  ],
  // A surface. `verdict` reads reviews without an engine, also when none runs.
  cli: [
    'cli/',
    'app/',
    'core/',
    'lib/',
    'view/',
    'verdicts/channels.ts',
    'type store/archive.ts',
    'type store/store.ts',
    'setup/draft.ts',
    'weakened/find-weakened.ts',
    'node:',
    'commander',
    '@bomb.sh/tab',
    '@clack/prompts',
  ],
  // A surface, too: the tools of an agent session. It is started with every agent, so it loads as little as it can.
  'session-tools': [
    'session-tools/',
    'app/hand-in.ts',
    'app/session-guard.ts',
    'attempts/attempt.ts',
    'attempts/requests.ts',
    'core/',
    'lib/',
    'verdicts/review-schema.ts',
    'verdicts/session-tools.ts',
    'verdicts/without-nulls.ts',
    'node:',
    '@modelcontextprotocol/server',
    '@modelcontextprotocol/server/stdio',
  ],
  'main.ts': ['cli/'],
  'index.ts': [
    'app/umpire.ts',
    'core/errors.ts',
    'type agents/agent.ts',
    'type core/',
    'type verdicts/channel.ts',
  ],
}

const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .sort()

interface Import {
  target: string
  typeOnly: boolean
}

/** All static and lazy imports and re-exports of a file; relative ones as paths below src/. */
function importsOf(file: string): Import[] {
  const text = readFileSync(join(src, file), 'utf8')
  const statements = text.matchAll(/^(?:import|export)\s([^'"`;]*?\bfrom\s*)?['"]([^'"]+)['"]/gm)
  const lazy = text.matchAll(/\bimport\(\s*['"`]([^'"`]+)['"`]/g)
  return [
    ...[...statements].map(([, names = '', target = '']) => ({ target, typeOnly: isTypeOnly(names) })),
    ...[...lazy].map(([, target = '']) => ({ target, typeOnly: false })),
  ].map((found) => ({
    ...found,
    target: found.target.startsWith('.')
      ? relative(src, resolve(src, dirname(file), found.target))
      : found.target,
  }))
}

function isTypeOnly(names: string): boolean {
  if (/^type\s/.test(names)) return true
  const [, listed = 'all of it'] = /^\{([^}]*)\}/.exec(names) ?? []
  return listed.split(',').every((name) => /^\s*(type\s|$)/.test(name))
}

function permits(rule: string, { target, typeOnly }: Import): boolean {
  if (rule.startsWith('type ')) return typeOnly && permits(rule.slice('type '.length), { target, typeOnly })
  return /[/:]$/.test(rule) ? target.startsWith(rule) : target === rule
}

const folderOf = (file: string) => file.split('/')[0] ?? file

describe('imports', () => {
  test('every folder has a rule, and every rule a folder', () => {
    expect([...new Set(files.map(folderOf))].sort()).toEqual(Object.keys(allowed).sort())
  })

  test.each(Object.entries(allowed))('%s imports only what it may', (folder, rules) => {
    const wrong = files
      .filter((file) => folderOf(file) === folder)
      .flatMap((file) => importsOf(file).map((found) => ({ file, found })))
      .filter(({ found }) => !rules.some((rule) => permits(rule, found)))
      .map(({ file, found }) => `${file} imports ${found.target}${found.typeOnly ? ' (types)' : ''}`)
    expect(wrong).toEqual([])
  })

  test('only the questions of init load what draws them, and only when they are asked', () => {
    const importers = (target: string) =>
      files.filter((file) => importsOf(file).some((found) => found.target === target))
    expect(importers('@clack/prompts')).toEqual(['cli/ask-setup.ts'])
    expect(importers('cli/ask-setup.ts')).toEqual(['cli/init.ts'])
    expect(readFileSync(join(src, 'cli/init.ts'), 'utf8')).toContain("await import('./ask-setup.ts')")
  })

  test('every rule is needed by somebody', () => {
    const idle = Object.entries(allowed).flatMap(([folder, rules]) => {
      const imports = files.filter((file) => folderOf(file) === folder).flatMap(importsOf)
      return rules
        .filter((rule) => !imports.some((found) => permits(rule, found)))
        .map((rule) => `${folder}: ${rule}`)
    })
    expect(idle).toEqual([])
  })

  test('the reading of imports finds them all', () => {
    const quoted = files.flatMap((file) =>
      [...readFileSync(join(src, file), 'utf8').matchAll(/['"`](\.{1,2}\/[^'"`\s]+\.ts)['"`]/g)].map(
        ([, path = '']) => `${file} ${relative(src, resolve(src, dirname(file), path))}`,
      ),
    )
    const read = new Set(files.flatMap((file) => importsOf(file).map(({ target }) => `${file} ${target}`)))
    expect(quoted.filter((each) => !read.has(each))).toEqual([])
  })

  test('no file is longer than 300 lines', () => {
    const lengths = files.map((file) => [file, readFileSync(join(src, file), 'utf8').split('\n').length - 1])
    expect(lengths.filter(([, length]) => Number(length) > 300)).toEqual([])
  })
})
