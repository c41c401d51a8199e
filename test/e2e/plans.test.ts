/** Plan files: what Umpire imports from a folder of Markdown, the first time and again, and what it exports. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ImportReport } from '../../src/plan/import-plan.ts'
import { openBench } from '../support/umpire.ts'

function planFile(keys: string, body: string): string {
  return `---\n${keys}\n---\n\n${body}\n`
}

const plan = {
  'plans/01-words.md': planFile(
    'task: 1\nstatus: pending\nbackpressure: "test -f README.md"',
    '# Collect the words\n\n## Objective\n\nIn all languages.\n\n## Acceptance Criteria\n\n- [ ] has French\n- has Dutch',
  ),
  'plans/02-greet.md': planFile(
    'task: 2\nstatus: pending\ndepends_on: [1, 4]\ngroup: 2',
    '# Greet\n\n## Scope\n\nOnly greet.js.',
  ),
  // Its number puts it last, but its dependents need it first.
  'plans/04-found.md': planFile('task: 4\nstatus: done', '# Find out which languages'),
  'plans/README.md': '# How this plan came about\n',
}

test('import adds a plan once, updates it later, and prints the ids with --json', async () => {
  const bench = openBench({ files: plan })
  await bench.add('Filed before')
  const first = await bench.umpire('import', 'plans')
  expect(first).toMatchObject({ code: 0, stderr: '' })
  expect(first.stdout).toBe(
    [
      '#2 added  Collect the words',
      '#3 added  Greet',
      'skipped plans/README.md: it has no front matter',
      'skipped plans/04-found.md: it says that it is completed, so no task is added\n',
    ].join('\n'),
  )
  expect(await bench.show(2)).toMatchObject({
    ...{ title: 'Collect the words', description: 'In all languages.', accept: ['has French', 'has Dutch'] },
    ...{ backpressure: ['test -f README.md'], source: { plan: 'plans', task: 1 } },
  })
  expect(await bench.show(3)).toMatchObject({ scope: 'Only greet.js.', dependsOn: [2], group: 2 })
  expect((await bench.umpire('show', '3')).stdout).toContain('After 2, group 2; task 2 of the plan plans\n')

  // Imports again from a subfolder, file by file: a new file and a changed one.
  bench.write({
    'plans/02-greet.md': planFile('task: 2\ntitle: Greet politely\ndepends_on: [1, 5]', ''),
    'plans/05-hats.md': planFile('task: 5\ndepends_on: [1]', '# Draw hats'),
  })
  const cwd = join(bench.root, 'plans')
  const again = await bench.call(['import', '02-greet.md', '../plans/05-hats.md', '.', '--json'], { cwd })
  expect(again.json<ImportReport>().tasks).toMatchObject([
    { id: 3, plan: 'plans', task: 2, did: 'changed' },
    { id: 4, plan: 'plans', task: 5, did: 'added' },
    { id: 2, plan: 'plans', task: 1, did: 'unchanged' },
  ])
  expect(await bench.show(3)).toMatchObject({
    title: 'Greet politely',
    scope: null,
    dependsOn: [2, 4],
    group: null,
  })
  expect((await bench.umpire('import', 'plans')).stdout).toMatch(
    /^#2 unchanged.*\n#3 unchanged.*\n#4 unchanged/,
  )
  expect((await bench.events()).filter(({ type }) => type === 'task.changed')).toHaveLength(1)
})

test('runs a plan’s commands as gates, and a later import does not change a completed task', async () => {
  const bench = openBench({ files: plan })
  expect((await bench.umpire('import', 'plans/01-words.md')).stdout).toBe('#1 added  Collect the words\n')
  expect((await bench.umpire('work')).code).toBe(0)
  expect(await bench.show(1)).toMatchObject({
    status: 'completed',
    gates: [{ name: 'backpressure', command: 'test -f README.md', passed: true }],
  })
  bench.write({ 'plans/01-words.md': planFile('task: 1', '# Something else') })
  expect((await bench.umpire('import', 'plans/01-words.md')).stdout).toBe(
    '#1 unchanged  Something else  (it is completed, so it was not changed)\n',
  )
  expect((await bench.show(1)).title).toBe('Collect the words')
})

test('import can reverse a dependency, and refuses a change that would cause a deadlock', async () => {
  const bench = openBench({
    files: {
      'plans/1.md': planFile('task: 1', '# One'),
      'plans/2.md': planFile('task: 2\ndepends_on: [1]', '# Two'),
    },
  })
  await bench.umpire('import', 'plans')
  bench.write({ 'plans/1.md': planFile('task: 1\ndepends_on: [2]', '# One') })
  expect(await bench.umpire('import', 'plans/1.md')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('plans/1.md:3: depends_on: Tasks would wait for each other: 1 → #2 → 1.'),
  })
  bench.write({ 'plans/2.md': planFile('task: 2', '# Two') })
  expect((await bench.umpire('import', 'plans')).code).toBe(0)
  expect([(await bench.show(1)).dependsOn, (await bench.show(2)).dependsOn]).toEqual([[2], []])
})

test('import reports all problems at once with their locations, and imports nothing', async () => {
  const bench = openBench({
    files: {
      'plans/01-good.md': planFile('task: 1', '# Good'),
      'plans/02-keys.md': planFile('task: 2\nbackpresure: npm test\nbackpressure: ""', 'No heading'),
      'plans/03-twin.md': planFile('task: 1', '# Twin'),
      'plans/04-lost.md': planFile('task: 4\ndepends_on: [77]', '# Lost'),
      'plans/05-huge.md': planFile('task: 5', `# Huge\n\n${'x'.repeat(1024 * 1024)}`),
      'notes.md': '# Notes\n',
    },
  })
  writeFileSync(join(bench.root, 'plans/06-bytes.md'), Buffer.from([0x2d, 0x2d, 0x2d, 0xff, 0xfe]))
  symlinkSync('/etc/hostname', join(bench.root, 'plans/07-link.md'))
  mkdirSync(join(bench.root, 'plans/08-folder.md'))
  const { code, stdout, stderr } = await bench.umpire('import', 'plans', 'notes.md', 'nowhere')
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr.trimEnd().split('\n')).toEqual([
    'umpire: 11 problems, so nothing was imported:',
    'plans/02-keys.md:3: backpresure: unknown key, did you mean backpressure?',
    expect.stringMatching(/^plans\/02-keys\.md:4: backpressure: must be a non-empty command/),
    'plans/02-keys.md:6: there is no title; add a key title or a first heading',
    'plans/05-huge.md: is larger than 1024 KiB',
    'plans/06-bytes.md: is not UTF-8 text',
    'plans/07-link.md: is a symbolic link; name the file that it points to',
    'plans/08-folder.md: is not a regular file',
    'notes.md: has no front matter, so it is not a plan file',
    'nowhere: does not exist',
    'plans/03-twin.md:2: task: plans/01-good.md has the number 1, too',
    'plans/04-lost.md:3: depends_on: there is no task 77 in this plan',
  ])
  expect(await bench.events()).toEqual([])
})

test('export writes plan files that another repository can import, and that this one recognizes', async () => {
  const bench = openBench()
  await bench.add(
    'Greet: in “French”',
    '-d',
    'Bonjour.\n\n## Scope\n\nMine.',
    '--accept',
    'has a test',
    '--scope',
    'fr',
  )
  await bench.add(
    '../../etc/passwd \u001b[31m',
    '--after',
    '1',
    '--group',
    '2',
    '--gate',
    'npm test',
    '--effort',
    'high',
  )
  await bench.add('Given up')
  await bench.umpire('cancel', '3')
  const written = await bench.umpire('export', 'out/plans', '--json')
  const names = ['01-greet-in-french.md', '02-etc-passwd-31m.md', '03-given-up.md']
  expect(written.json()).toEqual({
    files: names.map((name, place) => ({ id: place + 1, file: `out/plans/${name}`, did: 'written' })),
  })
  expect(readdirSync(join(bench.root, 'out/plans'))).toEqual(names)

  // In this repository, neither an import nor another export changes anything.
  const known = await bench.umpire('import', 'out/plans')
  expect(known.stdout.replaceAll(/ {2}.*/g, '')).toBe('#1 unchanged\n#2 unchanged\n#3 unchanged\n')
  expect((await bench.umpire('export', 'out/plans')).stdout).toMatch(
    /^#1 unchanged.*\n#2 unchanged.*\n#3 unchanged/,
  )

  // In another repository it becomes the same plan under other numbers, and only once.
  const other = openBench()
  await other.add('Another first')
  for (const did of ['added', 'unchanged']) {
    const imported = await other.umpire('import', join(bench.root, 'out/plans'), '--json')
    expect(imported.json<ImportReport>()).toMatchObject({
      tasks: [
        { id: 2, did },
        { id: 3, did },
      ],
      skipped: [{ why: 'says that it is cancelled, so no task is added' }],
    })
  }
  const keys = ['title', 'description', 'scope', 'accept', 'backpressure', 'group', 'type'] as const
  for (const id of [1, 2]) {
    const [here, there] = [await bench.show(id), await other.show(id + 1)].map((shown) =>
      keys.map((key) => (shown as object)[key as never]),
    )
    expect(there).toEqual(here)
  }
  expect((await other.show(3)).dependsOn).toEqual([2])
})

test('export overwrites no file that Umpire did not write or that was changed since, and follows no symbolic link', async () => {
  const bench = openBench({ files: { 'plans/01-first.md': 'my own notes\n' } })
  await bench.add('First')
  await bench.add('Second')
  const foreign = await bench.umpire('export', 'plans')
  expect(foreign).toMatchObject({ code: 2, stdout: '' })
  expect(foreign.stderr).toContain('plans/01-first.md: was not written by umpire export of this repository')
  expect(readdirSync(join(bench.root, 'plans'))).toEqual(['01-first.md'])

  unlinkSync(join(bench.root, 'plans/01-first.md'))
  symlinkSync(join(bench.folder, 'outside.md'), join(bench.root, 'plans/01-first.md'))
  expect((await bench.umpire('export', 'plans')).code).toBe(2)
  expect(existsSync(join(bench.folder, 'outside.md'))).toBe(false)
  unlinkSync(join(bench.root, 'plans/01-first.md'))
  symlinkSync(bench.folder, join(bench.root, 'linked'))
  expect((await bench.umpire('export', 'linked')).stderr).toContain('linked is a symbolic link.')

  // Export writes a new title into the existing file, and keeps a manual change until it is imported.
  expect((await bench.umpire('export', 'plans')).code).toBe(0)
  await bench.umpire('edit', '1', '--title', 'Erste')
  expect((await bench.umpire('export', 'plans')).stdout).toContain('#1 written  plans/01-first.md')
  const second = join(bench.root, 'plans/02-second.md')
  writeFileSync(second, `${readFileSync(second, 'utf8')}\nBy hand.\n`)
  await bench.umpire('edit', '1', '--title', 'Première')
  const changed = await bench.umpire('export', 'plans')
  expect(changed).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('02-second.md: was changed since'),
  })
  expect(readFileSync(join(bench.root, 'plans/01-first.md'), 'utf8')).toContain('Erste')
  expect((await bench.umpire('import', second)).stdout).toBe('#2 changed  Second\n')
  expect((await bench.umpire('export', 'plans')).code).toBe(0)
})

test('an agent can neither import nor export', async () => {
  const bench = openBench({
    files: plan,
    scenario: {
      developer: [
        {
          do: [
            { run: ['umpire', 'import', 'plans'] },
            { run: ['umpire', 'export', 'out'] },
            { write: { 'a.txt': 'a' } },
          ],
        },
      ],
    },
  })
  await bench.add('Work')
  await bench.umpire('work')
  const tried = bench.played().filter(({ argv }) => argv?.[0] === 'umpire')
  expect(tried.map(({ code }) => code)).toEqual([2, 2])
  for (const { stderr } of tried) expect(stderr).toContain('refused inside an agent session')
})
