/** What the sandbox blocks and what it allows, for programs that run in it because of `confine: true`. */
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { hasSandbox, openScripted, triedBy } from '../support/sandbox.ts'
import { type Bench, nothingRuns, until } from '../support/umpire.ts'

/** Everything that no agent may change, as text. */
function outside({ root, git, env }: Bench) {
  const home = env.HOME ?? ''
  return {
    status: git('status', '--porcelain'),
    refs: git('for-each-ref', 'refs/heads/main', 'refs/tags', 'refs/stash'),
    config: readFileSync(join(root, '.git/config'), 'utf8'),
    hooks: existsSync(join(root, '.git/hooks')) ? readdirSync(join(root, '.git/hooks')) : [],
    home: readdirSync(home).map((name) => [
      name,
      name === '.bashrc' ? readFileSync(join(home, name), 'utf8') : '',
    ]),
  }
}

const claims = async (bench: Bench) =>
  (await bench.events()).filter(({ type }) => type === 'loop.claimed').length

test('confine: true puts a program into the sandbox: it works and commits there, and writes nowhere else', {
  skip: !hasSandbox,
}, async () => {
  const bench = openScripted({
    developer: [
      'try worktree put work.txt',
      'try commit sh -c "git add -A && git commit -qm mine"',
      'try amend git commit -q --amend -m mine-again',
      'try cache put ~/.cache/fetched',
      'try private-tmp put /tmp/canary-$UMPIRE_SESSION',
      'try read cat "$main/README.md"',
      'try status umpire status --json',
      'try checkout put "$main/README.md"',
      'try new-in-checkout put "$main/evil.txt"',
      'try hook put "$main/.git/hooks/pre-commit"',
      'try hooks mkdir "$main/.git/hooks"',
      'try config git config --local alias.evil "!true"',
      'try branch git branch evil',
      'try tag git tag evil',
      'try main git update-ref refs/heads/main HEAD',
      'put work.txt',
      'try stash git stash',
      'try home put ~/evil.txt',
      'try dotfile put ~/.bashrc',
      'try database put "$UMPIRE_HOME/umpire.db"',
      'try beside-database put "$UMPIRE_HOME/evil.txt"',
      'try result put "$UMPIRE_HOME/attempts/$UMPIRE_SESSION/result"',
      'try other-worktree put "$UMPIRE_HOME/worktrees/2-other/evil.txt"',
      'try unlink rm .git',
      'try move umpire cancel 1',
      'try remount mount -o remount,rw,bind /',
    ],
  })
  mkdirSync(join(bench.env.HOME ?? '', '.cache'))
  writeFileSync(join(bench.env.HOME ?? '', '.bashrc'), 'mine\n')
  mkdirSync(join(bench.home, 'worktrees/2-other'), { recursive: true })
  const id = await bench.add('Try to get out')
  const before = outside(bench)
  expect(await bench.umpire('work')).toMatchObject({ code: 0, stderr: '' })

  const tried = await triedBy(bench, id, 'developer')
  const allowed = ['worktree', 'commit', 'amend', 'cache', 'private-tmp', 'read', 'status']
  expect(Object.keys(tried).filter((name) => tried[name] === 'done')).toEqual(allowed)
  expect(Object.keys(tried)).toHaveLength(allowed.length + 18)
  expect(outside(bench)).toEqual(before)
  expect(existsSync(join(bench.env.HOME ?? '', '.cache/fetched'))).toBe(true)
  expect(existsSync(join('/tmp', `canary-${id}-1`))).toBe(false)
  expect(readdirSync(join(bench.home, 'worktrees/2-other'))).toEqual([])
  const shown = await bench.show(id)
  expect(shown).toMatchObject({ status: 'completed', verdict: 'APPROVED' })
  expect(shown.sessions[0]).toMatchObject({ refused: ['umpire cancel'] })
  // The developer's own commit stays, below the one that Umpire made of the rest.
  expect(bench.git('log', '--format=%s', `main..${shown.branch}`)).toBe('Try to get out\nmine-again')
})

describe.skipIf(!hasSandbox)('in the sandbox', () => {
  test('a reviewer can’t write even to its own clone, but can still submit its review', async () => {
    const bench = openScripted({
      reviewer: [
        'try clone put README.md',
        'try new-in-clone put evil.txt',
        'try commit git commit -q --allow-empty -m evil',
        'try output git log --output=evil.txt',
        'try cache put ~/.cache/fetched',
        'try branch git -C "$main" branch evil',
        'try worktree put "$UMPIRE_HOME"/worktrees/1-*/work.txt',
        'try read git log -1',
        'try private-tmp put /tmp/scratch',
        `try submit sh -c 'echo "{\\"verdict\\":\\"APPROVED\\",\\"summary\\":\\"by hand\\"}" | umpire submit'`,
        `try again sh -c 'echo "{\\"verdict\\":\\"APPROVED\\",\\"summary\\":\\"by hand\\"}" | umpire submit'`,
        'echo "that is all"',
      ],
    })
    mkdirSync(join(bench.env.HOME ?? '', '.cache'))
    const id = await bench.add('Look')
    expect(await bench.umpire('work')).toMatchObject({ code: 0, stderr: '' })
    const tried = await triedBy(bench, id, 'reviewer')
    expect(Object.keys(tried).filter((name) => tried[name] === 'done')).toEqual([
      ...['read', 'private-tmp', 'submit'],
    ])
    expect(Object.keys(tried)).toHaveLength(11)
    const { reviews, sessions } = await bench.show(id)
    expect(reviews).toMatchObject([{ verdict: 'APPROVED', summary: 'by hand' }])
    expect(sessions[1]?.refused).toEqual([expect.stringContaining('has already handed in')])
    expect((await bench.events()).filter(({ type }) => type === 'session.strayed')).toEqual([])
  })

  test('an agent in it outlives Umpire and is adopted', async () => {
    const bench = openScripted({
      developer: [
        'put arrived',
        'until [ -e "$main/alone" ]; do sleep 0.05; done',
        // No process has the database open now, and the agent can't write to it.
        'try status umpire status',
        `try submit sh -c 'echo "{\\"complete\\":true}" | umpire submit'`,
        'put asked',
        'until [ -e "$main/go" ]; do sleep 0.05; done',
        'echo work > work.txt',
      ],
    })
    const id = await bench.add('Outlive it')
    const killed = bench.start('work')
    const worktree = join(bench.home, 'worktrees', '1-outlive-it')
    await until(() => existsSync(join(worktree, 'arrived')), 'the agent')
    killed.kill('SIGKILL')
    await killed.ended
    bench.write({ alone: '' })
    await until(() => existsSync(join(worktree, 'asked')), 'what it asks of Umpire')
    const next = bench.start('work')
    await until(async () => (await claims(bench)) === 2, 'the adoption')
    bench.write({ go: '' })
    expect(await next.ended).toMatchObject({ code: 0, stderr: '' })
    const { sessions, status } = await bench.show(id)
    expect(status).toBe('completed')
    expect(await triedBy(bench, id, 'developer')).toEqual({ status: 'done', submit: 'done' })
    expect(sessions.map((session) => `${session.role} ${session.status}`)).toEqual([
      ...['developer done', 'reviewer done'],
    ])
  })

  test('ends everything inside at the time limit, including hidden processes, and keeps the work', async () => {
    const bench = openScripted({
      developer: [
        'echo work > work.txt',
        'setsid sleep 1000 &',
        'setsid env -i sh -c "trap : TERM; sleep 1000; sleep 1000" &',
        'trap : TERM',
        'sleep 1000; sleep 1000',
      ],
      config: { limits: { develop: '2s', agent_retries: 0 } },
    })
    const id = await bench.add('Never end')
    expect((await bench.umpire('work')).code).toBe(3)
    expect(await bench.show(id)).toMatchObject({ status: 'blocked', reason: 'timeout' })
    expect(bench.git('show', 'umpire/1-never-end:work.txt')).toBe('work')
    await nothingRuns(bench)
  })

  test('Ctrl-C asks an agent in it to stop before killing it', async () => {
    const bench = openScripted({
      developer: [
        'trap "echo asked > asked.txt; exit 1" TERM',
        'put arrived',
        'while :; do sleep 0.05; done',
      ],
    })
    await bench.add('Be asked')
    const work = bench.start('work')
    const worktree = join(bench.home, 'worktrees', '1-be-asked')
    await until(() => existsSync(join(worktree, 'arrived')), 'the agent')
    work.kill('SIGINT')
    expect((await work.ended).code).toBe(130)
    expect(readFileSync(join(worktree, 'asked.txt'), 'utf8')).toBe('asked\n')
    await nothingRuns(bench)
  })

  test('refuses a person’s commands to a process in it that dropped its environment and its parents', async () => {
    const bench = openScripted({
      developer: [
        'echo work > work.txt',
        'clean="env -i PATH=$PATH HOME=$HOME"',
        // Its parent exits at once, so the agent is no longer one of its ancestors.
        '(setsid $clean sh -c "sleep 0.5; umpire cancel 1 >moved.txt 2>&1; echo \\$? >code.txt" &)',
        'until [ -s code.txt ]; do sleep 0.05; done',
        'cat moved.txt code.txt',
      ],
    })
    const id = await bench.add('Stay')
    expect((await bench.umpire('work')).code).toBe(0)
    const { stdout } = await bench.umpire('log', String(id), '--role', 'developer', '--raw')
    expect(stdout).toMatch(/refused inside an agent session(.|\n)*\n2\n/)
  })

  test('reports a program that can’t be executed', async () => {
    const bench = openScripted({
      config: { agents: { script: { command: ['./broken-agent'], confine: true } } },
    })
    // The file exists, but the interpreter that it names does not.
    bench.write({ 'broken-agent': '#!/no/such/interpreter\n' })
    chmodSync(join(bench.root, 'broken-agent'), 0o755)
    const id = await bench.add('Run nothing')
    expect((await bench.umpire('work')).code).toBe(1)
    const { detail } =
      (await bench.umpire('status', '--json')).json<{ tasks: { detail: string }[] }>().tasks[0] ?? {}
    expect(detail ?? (await bench.umpire('show', String(id))).stdout).toContain('exit code 127')
  })
})
