/**
 * Dependencies point down: what each folder of src/ may import. Each line is a decision; add one only with a reason.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'

const src = resolve(import.meta.dirname, '../src')

/** `folder/` allows a whole folder, `folder/file.ts` that file, and `type` only what the build erases. */
const allowed: Record<string, string[]> = {
  core: ['core/'],
  lib: ['lib/', 'node:'],
  prompts: [
    'prompts/',
    'core/',
    'lib/text/printable.ts',
    'type vcs/review-rooms.ts',
    'type weakened-tests/fact.ts',
  ],
  // Turns a diff into facts about its tests: pure, and it knows nothing about tasks.
  'weakened-tests': ['weakened-tests/'],
  // Only the ports: which agent, store or version control is behind them does not concern a loop.
  loop: [
    'loop/',
    'core/',
    'lib/',
    'prompts/',
    'agents/agent.ts',
    'attempts/attempt.ts',
    'vcs/vcs.ts',
    'vcs/worktrees.ts',
    'vcs/merges.ts',
    'vcs/landings.ts',
    'sandbox/sandbox.ts',
    'verdicts/channel.ts',
    'store/journal.ts',
    'store/archive.ts',
    'store/spending.ts',
    'store/port-ranges.ts',
    'queue/work-source.ts',
    'weakened-tests/find-weakened.ts',
  ],
  view: ['view/', 'core/', 'lib/', 'type store/archive.ts', 'type weakened-tests/fact.ts'],

  agents: ['agents/', 'core/', 'lib/', 'acp/client-protocol.ts', 'node:', 'yaml'],
  // A separate program: it shares with the adapter only its input and its output.
  acp: ['acp/', 'lib/', 'agents/json-line.ts', 'node:', '@agentclientprotocol/sdk'],
  attempts: ['attempts/', 'core/', 'lib/', 'node:'],
  // Only the ports.
  vcs: ['vcs/worktrees.ts', 'vcs/review-rooms.ts', 'vcs/merges.ts', 'vcs/landings.ts', 'core/'],
  'vcs/git': ['vcs/', 'core/', 'lib/', 'node:'],
  sandbox: ['sandbox/', 'lib/', 'node:'],
  verdicts: ['verdicts/', 'core/', 'jsonrepair'],
  // Only the ports.
  store: ['store/archive.ts', 'store/journal.ts', 'store/spending.ts', 'store/port-ranges.ts', 'core/'],
  'store/sqlite': ['store/', 'core/', 'lib/', 'node:', '@photostructure/sqlite'],
  // The local queue is two tables in the journal's database.
  queue: ['queue/', 'core/', 'lib/', 'store/sqlite/database.ts'],
  // The outbox is in that database, too. The words for a task that waits for a person are the same on every screen.
  notify: [
    'notify/',
    'core/',
    'lib/',
    'node:',
    'view/person-needed.ts',
    'store/sqlite/database.ts',
    'type store/archive.ts',
    'type store/journal.ts',
  ],
  config: [
    'config/',
    'core/',
    'lib/error-code.ts',
    'lib/file/exists.ts',
    'node:',
    'yaml',
    'zod',
    'type verdicts/channel.ts',
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
    'type setup/draft.ts',
    '@pydantic/genai-prices',
    'node:',
  ],
  // What a person does to tasks. It asks the composition root for whatever it needs of the world.
  moves: [
    'moves/',
    'app/',
    'core/',
    'lib/text/printable.ts',
    'loop/record.ts',
    'loop/run/',
    'loop/land/find-carried-work.ts',
    'type store/',
    'type loop/ports.ts',
    'type queue/work-source.ts',
    'type vcs/vcs.ts',
    'type vcs/worktrees.ts',
    'type vcs/landings.ts',
    'node:',
  ],
  // It inspects everything, so it may import all adapters.
  doctor: [
    'doctor/',
    'app/',
    'core/',
    'lib/',
    'agents/',
    'config/',
    'notify/',
    'sandbox/',
    'store/',
    'vcs/',
    'setup/',
    'node:',
  ],
  // Proposes a configuration from what is in a checkout.
  setup: ['setup/', 'app/', 'core/errors.ts', 'lib/', 'vcs/git/survey.ts', 'node:'],
  // Pure, so it can't run anything of the project.
  'setup/toolchains': ['setup/toolchains/'],
  plan: [
    'plan/',
    'moves/',
    'app/',
    'core/',
    'lib/',
    'store/',
    'type loop/record.ts',
    'vcs/git/plan-place.ts',
    'node:',
  ],
  // Pure, so a plan is never more than data. Its front matter is read like the configuration.
  'plan/format': ['plan/format/', 'core/', 'lib/', 'config/yaml/', 'node:util'],

  // A surface for programs.
  library: ['moves/', 'app/', 'core/', 'store/', 'type agents/agent.ts', 'type verdicts/channel.ts', 'zod'],
  // A surface. `verdict` reads reviews without an engine, also when none runs.
  cli: [
    'cli/',
    'moves/',
    'doctor/',
    'setup/',
    'plan/',
    'app/',
    'core/',
    'lib/',
    'view/',
    'verdicts/channels.ts',
    'type store/archive.ts',
    'type store/store.ts',
    'weakened-tests/find-weakened.ts',
    'node:',
    'commander',
    '@bomb.sh/tab',
    '@clack/prompts',
  ],
  // A surface, too: the tools of an agent session. It is started with every agent, so it loads as little as it can.
  'session-tools': [
    'session-tools/',
    'app/take-hand-in.ts',
    'app/refuse-in-session.ts',
    'attempts/attempt.ts',
    'attempts/requests.ts',
    'core/',
    'lib/',
    'verdicts/shape/review-schema.ts',
    'verdicts/tool-names.ts',
    'node:',
    '@modelcontextprotocol/server',
    '@modelcontextprotocol/server/stdio',
  ],
  'main.ts': ['cli/'],
  'index.ts': [
    'library/umpire.ts',
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

/** The most specific folder that has a rule of its own; else the outermost, which then lacks one. */
function folderOf(file: string): string {
  const parts = file.split('/')
  for (let length = parts.length; length > 0; length--) {
    const folder = parts.slice(0, length).join('/')
    if (folder in allowed) return folder
  }
  return parts[0] ?? file
}

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

  test('tests get random cases from one module, so that npm test tries the same ones every time', () => {
    const tests = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
    const users = tests
      .filter((name) => name.endsWith('.ts'))
      .filter((name) => readFileSync(join(import.meta.dirname, name), 'utf8').includes("from 'fast-check"))
    expect(users).toEqual(['imports.test.ts', 'support/random.ts'])
  })

  test('only the questions of init load the code that draws them, and only when they are asked', () => {
    const importers = (target: string) =>
      files.filter((file) => importsOf(file).some((found) => found.target === target))
    expect(importers('@clack/prompts')).toEqual(['cli/setup/ask-setup.ts'])
    expect(importers('cli/setup/ask-setup.ts')).toEqual(['cli/setup/init.ts'])
    expect(readFileSync(join(src, 'cli/setup/init.ts'), 'utf8')).toContain("await import('./ask-setup.ts')")
  })

  test('every rule is needed by some file', () => {
    const idle = Object.entries(allowed).flatMap(([folder, rules]) => {
      const imports = files.filter((file) => folderOf(file) === folder).flatMap(importsOf)
      return rules
        .filter((rule) => !imports.some((found) => permits(rule, found)))
        .map((rule) => `${folder}: ${rule}`)
    })
    expect(idle).toEqual([])
  })

  test('importsOf finds every import', () => {
    const quoted = files.flatMap((file) =>
      [...readFileSync(join(src, file), 'utf8').matchAll(/['"`](\.{1,2}\/[^'"`\s]+\.ts)['"`]/g)].map(
        ([, path = '']) => `${file} ${relative(src, resolve(src, dirname(file), path))}`,
      ),
    )
    const read = new Set(files.flatMap((file) => importsOf(file).map(({ target }) => `${file} ${target}`)))
    expect(quoted.filter((each) => !read.has(each))).toEqual([])
  })

  test('docs/architecture.md names every folder', () => {
    const page = readFileSync(resolve(src, '../docs/architecture.md'), 'utf8')
    const folders = [...new Set(files.filter((file) => file.includes('/')).map((file) => dirname(file)))]
    expect(folders.filter((folder) => !page.includes(`\`${folder}/\``))).toEqual([])
  })

  test('a folder is a chapter: it has at most 24 files of its own', () => {
    const sizes = new Map<string, number>()
    for (const file of files) sizes.set(dirname(file), (sizes.get(dirname(file)) ?? 0) + 1)
    expect([...sizes].filter(([, size]) => size > 24)).toEqual([])
  })

  test('no files import each other in a circle', () => {
    const imported = new Map(files.map((file) => [file, importsOf(file).map(({ target }) => target)]))
    const reaches = (from: string, to: string, seen = new Set<string>()): boolean =>
      (imported.get(from) ?? []).some(
        (next) => next === to || (!seen.has(next) && reaches(next, to, seen.add(next))),
      )
    expect(files.filter((file) => reaches(file, file))).toEqual([])
  })

  test('no file is longer than 300 lines', () => {
    const lengths = files.map((file) => [file, readFileSync(join(src, file), 'utf8').split('\n').length - 1])
    expect(lengths.filter(([, length]) => Number(length) > 300)).toEqual([])
  })
})
