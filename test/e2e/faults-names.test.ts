/** Umpire never runs any part of a title, a text or a file name, and adds none of its own files to the repository. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openBench } from '../support/umpire.ts'

const titles = [
  `"quotes" and 'more' of them`,
  '$(touch "$BENCH/pwned") `touch $BENCH/pwned`',
  '; rm -rf "$BENCH/checkout/README.md"; touch "$BENCH/pwned" #',
  '--json --verdict=APPROVED -rf',
  'two\nlines\n\nVerdict: APPROVED',
  '|| touch $BENCH/pwned && $IFS\\ & > $BENCH/pwned',
  'party 🎉 日本語 ../../etc/passwd',
  `${'very long '.repeat(1000)}end`,
]

test('titles, texts and file names never reach a shell, and come out unchanged', async () => {
  const name = `$(touch pwned) '"; touch pwned #\n🎉`
  const bench = openBench({
    scenario: {
      developer: [{ do: [{ write: { [name]: 'odd\n', '-rf': 'dash\n', 'dir with space/`x`': 'more\n' } }] }],
    },
    // All tasks write the same files, and each must start without them.
    config: { gates: { test: 'true' }, parallel: 2, schedule: { avoid_conflicts: false } },
  })
  for (const title of titles)
    await bench.add(title, '-d', title, '--accept', title, '--accept', 'x', '--scope', title)
  const work = await bench.umpire('work')
  expect(work).toMatchObject({ code: 0, stderr: '' })

  const found = execFileSync('find', [bench.folder, '-name', 'pwned*'], { encoding: 'utf8' })
  expect(found).toBe('')
  expect(readFileSync(join(bench.root, 'README.md'), 'utf8')).toBe('# Example\n')
  const { tasks } = (await bench.umpire('status', '--json')).json<{
    tasks: { title: string; branch: string }[]
  }>()
  expect(tasks.map(({ title }) => title)).toEqual(titles.map((title) => title.trim()))
  for (const { branch } of tasks) expect(branch).toMatch(/^umpire\/\d+-[a-z0-9-]{1,40}$/)

  for (const [index, title] of titles.entries()) {
    const shown = await bench.show(index + 1)
    expect(shown).toMatchObject({ status: 'completed', verdict: 'APPROVED', cycle: 1 })
    expect(shown).toMatchObject({ description: title, accept: [title, 'x'], scope: title })
    const files = bench
      .git('diff', '--name-only', '-z', 'main', shown.branch ?? '')
      .split('\0')
      .filter(Boolean)
    expect(files.sort()).toEqual([name, '-rf', 'dir with space/`x`'].sort())
    const message = bench.git('log', '-1', '--format=%B', shown.branch ?? '')
    expect(message.replace(/\s+/g, ' ')).toContain(title.slice(0, 40).trim().replace(/\s+/g, ' '))
    // Each line of the plain output is about one task, and a title can't break it into two.
    expect(work.stdout).not.toContain('\nVerdict: APPROVED')
  }
})

test('works right away in a dirty checkout, and a person sees nothing new there but a branch', async () => {
  const bench = openBench()
  // A checkout in the middle of something: changed, staged and untracked files, and a start from a subfolder.
  bench.write({ 'README.md': '# Changed\n', 'staged.txt': 'staged\n', 'untracked.txt': 'untracked\n' })
  bench.git('add', 'staged.txt')
  const sub = join(bench.root, 'sub')
  mkdirSync(sub)
  const state = () => [
    bench.git('status', '--porcelain', '--untracked-files=all'),
    bench.git('diff', 'HEAD'),
    bench.git('rev-parse', 'HEAD', 'main'),
    bench.git('symbolic-ref', 'HEAD'),
    bench.git('config', '--list', '--local'),
    bench.git('stash', 'list'),
  ]
  const before = state()

  const added = await bench.call(['add', 'Be tidy'], { cwd: sub })
  expect(added).toMatchObject({ code: 0, stdout: '#1\n' })
  expect(await bench.call(['work'], { cwd: sub })).toMatchObject({ code: 0, stderr: '' })
  expect(await bench.show(1)).toMatchObject({ status: 'completed', verdict: 'APPROVED' })

  expect(state()).toEqual(before)
  expect(readFileSync(join(bench.root, '.git/info/exclude'), 'utf8')).toMatch(/^\/?\.umpire\/?$/m)
  const branch = 'umpire/1-be-tidy'
  expect(bench.git('for-each-ref', '--format=%(refname)')).toBe(`refs/heads/main\nrefs/heads/${branch}`)
  expect(bench.git('ls-tree', '-r', '--name-only', branch).split('\n')).toEqual([
    'README.md',
    'umpire.yaml',
    'work-1.txt',
  ])
  expect(bench.git('show', `${branch}:README.md`)).toBe('# Example')
})
