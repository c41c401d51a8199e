/** Shell completion: the answers that shells get, and the same in a real bash. */
import { spawnSync } from 'node:child_process'
import { existsSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Bench, builtCommand, openBench } from '../support/umpire.ts'

test('complete answers with commands, options, choices, tasks and agents, and leaves files to the shell', async () => {
  const bench = openBench({
    config: { agents: { other: { command: ['cat'] }, '$(id)': { command: ['cat'] } } },
  })
  await bench.add('Greet in\u001b[31m French\u202e')
  await bench.add('Shout')
  await bench.umpire('cancel', '2')
  const answer = async (...words: string[]) => {
    const { code, stdout, stderr } = await bench.umpire('complete', '--', ...words)
    expect([code, stderr]).toEqual([0, ''])
    return stdout
  }
  expect(await answer('add', '--eff')).toBe('--effort\thow much effort to spend\n:36\n')
  expect(await answer('add', '--effort', 'm')).toBe('medium\t\nmax\t\n:36\n')
  expect(await answer('show', '')).toBe('1\tGreet in French, pending\n2\tShout, cancelled\n:36\n')
  expect(await answer('add', 'x', '--agent', '')).toMatch(/^actor\t.*\nother\t.*\nclaude\t(.*\n)*:36\n$/)
  expect(await answer('add', '--file', '')).toBe(':32\n')
  expect(await answer('show', '--help', 'bash')).toBe(':36\n')
  // Completion never fails, not even outside a repository or with a broken umpire.yaml.
  const elsewhere = await bench.call(['complete', '--', 'show', ''], { cwd: bench.folder })
  expect(elsewhere).toMatchObject({ code: 0, stdout: ':36\n', stderr: '' })
  bench.write({ 'umpire.yaml': 'agents: [' })
  expect(await answer('add', 'x', '--agent', '')).toBe(':36\n')
  // Completion creates no files.
  const untouched = openBench()
  await untouched.umpire('complete', '--', 'show', '')
  expect(existsSync(untouched.home)).toBe(false)
})

test('there is a script for bash, zsh and fish, and for no other shell', async () => {
  const bench = openBench()
  const scripts = await Promise.all(
    ['bash', 'zsh', 'fish'].map((shell) => bench.call(['complete', shell], { process: 'own' })),
  )
  for (const { code, stdout } of scripts) {
    expect(code).toBe(0)
    expect(stdout).toContain('umpire complete --')
  }
  expect(scripts[1]?.stdout).toMatch(/^#compdef umpire\n/)
  for (const words of [['complete', 'tcsh'], ['complete']]) {
    expect(await bench.umpire(...words)).toMatchObject({
      ...{ code: 2, stdout: '', stderr: expect.stringContaining('Give one of bash, zsh, fish.') },
    })
  }
})

/** Loads the script into bash and returns the completions that it offers. */
function askBash(bench: Bench, ...words: string[]): string[] {
  const bin = join(bench.folder, 'bin')
  if (!existsSync(bin)) {
    bench.write({ '../bin/.keep': '' })
    symlinkSync(builtCommand, join(bin, 'umpire'))
  }
  const asking = `
    source <(umpire complete bash)
    COMP_WORDS=(umpire "$@"); COMP_CWORD=$#; COMP_TYPE=9; __umpire_complete
    ((\${#COMPREPLY[@]} == 0)) || printf '%s\\n' "\${COMPREPLY[@]}"
    complete -p umpire >&2`
  const env = { ...bench.env, PATH: `${bin}:${bench.env.PATH}` }
  const options = { cwd: bench.root, env, encoding: 'utf8' as const }
  const { status, stdout, stderr } = spawnSync('bash', ['--norc', '-c', asking, 'bash', ...words], options)
  expect([status, stderr]).toEqual([0, 'complete -F __umpire_complete umpire\n'])
  return stdout.split('\n').filter((line) => line !== '')
}

const hasBash = spawnSync('bash', ['--version']).status === 0
if (!hasBash) console.warn('SKIPPED: completion in a real bash; there is none here')

test.skipIf(!hasBash)(
  'a real bash offers the same completions, and runs nothing that was typed or offered',
  async () => {
    const bench = openBench()
    await bench.add('$(touch pwned) `touch pwned`')
    await bench.add('Shout')
    expect(askBash(bench, 'statu')).toEqual(['status'])
    expect(askBash(bench, 'add', '--effort', 'm')).toEqual(['medium', 'max'])
    // Bash splits `--effort=hi` into these words.
    expect(askBash(bench, 'add', '--effort', '=', 'hi')).toEqual(['high'])
    expect(askBash(bench, 'add', '--effort', '=')).toEqual(['low', 'medium', 'high', 'max'])
    expect(askBash(bench, 'show', '2')).toEqual(['2'])
    expect(askBash(bench, 'show', '')).toEqual([
      '1                 ($(touch pwned) `touch pwned`, pending)',
      '2                 (Shout, pending)',
    ])
    expect(askBash(bench, 'add', '$(touch pwned)', '`touch pwned`', '--eff')).toEqual(['--effort'])
    expect(askBash(bench, 'add', '--file', '')).toEqual([])
    expect(existsSync(join(bench.root, 'pwned'))).toBe(false)
  },
)

for (const shell of ['zsh', 'fish']) {
  const isThere = spawnSync(shell, ['--version']).status === 0
  if (!isThere) console.warn(`SKIPPED: completion in a real ${shell}; there is none here`)

  test.skipIf(!isThere)(`a real ${shell} accepts its script without errors`, async () => {
    const bench = openBench()
    const file = join(bench.folder, `completion.${shell}`)
    writeFileSync(file, (await bench.call(['complete', shell], { process: 'own' })).stdout)
    const { status, stderr } = spawnSync(shell, ['-n', file], { encoding: 'utf8' })
    expect([status, stderr]).toEqual([0, ''])
  })
}
