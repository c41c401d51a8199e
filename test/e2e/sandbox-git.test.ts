/** What a developer with write access can do to git, in the sandbox and outside of it. None of it reaches `main`. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { hasSandbox, openScripted, triedBy } from '../support/sandbox.ts'

const manners: [string, boolean][] = [
  ['in the sandbox', true],
  ['outside of it', false],
]
describe.each(manners)('a developer %s', (_, confine) => {
  const skip = confine && !hasSandbox

  test('that makes its branch a symbolic ref to main fails its turn; main does not move, and the work continues', {
    skip,
  }, async () => {
    const bench = openScripted({
      confine,
      config: { limits: { agent_retries: 1 }, max_cycles: 2 },
      developer: [
        'echo "$UMPIRE_SESSION" >> work.txt',
        'if [ "$UMPIRE_CYCLE" = 2 ] && [ ! -e tried ]; then',
        '  touch tried',
        '  echo "ref: refs/heads/main" > "$(git rev-parse --git-common-dir)/$(git symbolic-ref HEAD)"',
        'fi',
      ],
      reviewer: ['echo "FEEDBACK: not yet"'],
    })
    const main = bench.git('rev-parse', 'main')
    await bench.add('Try it')
    await bench.umpire('work')
    expect(bench.git('rev-parse', 'main')).toBe(main)
    expect(bench.git('status', '--porcelain')).toBe('')
    const events = await bench.events()
    const details = events
      .filter(({ type }) => type === 'session.ended')
      .map(({ data }) => JSON.stringify(data))
    expect(details.filter((each) => each.includes('was replaced by a link to main'))).toHaveLength(1)
    expect(await bench.show(1)).toMatchObject({ status: 'blocked', reason: 'max_cycles' })
    const branch = bench.git('for-each-ref', '--format=%(refname) %(symref)', 'refs/heads/umpire')
    expect(branch).toBe('refs/heads/umpire/1-try-it')
    // The branch has the commits of both cycles, one on top of the other.
    expect(bench.git('rev-list', '--count', 'main..umpire/1-try-it')).toBe('2')
  })

  test('that changes an approved file in git’s object store does not get it merged', { skip }, async () => {
    const bench = openScripted({
      confine,
      config: { parallel: 1 },
      developer: [
        'if [ "$UMPIRE_TASK" = 1 ]; then echo good > one.txt; else',
        '  echo two > two.txt',
        '  name=$(echo good | git hash-object --stdin)',
        '  file=$(git rev-parse --git-common-dir)/objects/$(echo "$name" | cut -c1-2)/$(echo "$name" | cut -c3-)',
        '  rm -f "$file"',
        `  node -e 'process.stdout.write(require("zlib").deflateSync("blob 5\\0evil\\n"))' > "$file"`,
        'fi',
      ],
    })
    const main = bench.git('rev-parse', 'main')
    await bench.add('One')
    await bench.add('Two')
    await bench.umpire('work')
    expect(await bench.show(1)).toMatchObject({ status: 'completed', verdict: 'APPROVED' })
    expect(bench.git('cat-file', 'blob', 'umpire/1-one:one.txt')).toBe('evil')
    const merged = await bench.umpire('merge', '1')
    expect(merged.code).not.toBe(0)
    expect(merged.stdout + merged.stderr).toContain('does not match its name')
    expect(await bench.show(1)).toMatchObject({
      status: 'failed',
      reason: 'vcs',
      verdict: 'APPROVED',
      landed: null,
    })
    expect(bench.git('rev-parse', 'main')).toBe(main)
    expect(existsSync(join(bench.root, 'one.txt'))).toBe(false)
  })
})

const armed = [
  'echo work > work.txt',
  'mkdir -p hooks',
  'printf "#!/bin/sh\\ntouch %s/ran\\n" "$main" > hooks/pre-commit',
  'chmod +x hooks/pre-commit',
  'own=$(git rev-parse --absolute-git-dir)',
  'arm() { printf "[core]\\n\\thooksPath = %s/hooks\\n" "$PWD" > "$own/config.worktree"; }',
  'try arm arm',
]

test('in the sandbox a developer can’t write the git config of its worktree, so none of its hooks runs', {
  skip: !hasSandbox,
}, async () => {
  const bench = openScripted({
    developer: [
      ...armed,
      'try move mv "$own/config.worktree" "$own/c"',
      'try alternates put "$own/../../objects/info/alternates"',
    ],
  })
  bench.git('config', 'extensions.worktreeConfig', 'true')
  await bench.add('Try it')
  expect((await bench.umpire('work')).code).toBe(0)
  expect(await triedBy(bench, 1, 'developer')).toEqual({
    arm: 'refused',
    move: 'refused',
    alternates: 'refused',
  })
  expect(existsSync(join(bench.root, 'ran'))).toBe(false)
})

test('outside of the sandbox, writing that config stops the task before anything is committed', async () => {
  const bench = openScripted({ developer: armed, confine: false })
  bench.git('config', 'extensions.worktreeConfig', 'true')
  await bench.add('Try it')
  const work = await bench.umpire('work')
  expect(work.stdout).toContain('worktrees/1-try-it/config.worktree (new) in .git')
  expect(await bench.show(1)).toMatchObject({ status: 'failed', reason: 'vcs' })
  expect(existsSync(join(bench.root, 'ran'))).toBe(false)
  expect(readFileSync(join(bench.root, '.git/worktrees/1-try-it/config.worktree'), 'utf8')).toContain(
    'hooksPath',
  )
})
