/**
 * Plays a person's whole day through the real command and compares it line by line with test/fixtures/day/day.txt.
 * What a person reads is part of the product. When you change words on purpose,
 * `npx vitest run test/e2e/day.test.ts -u` rewrites the file; read the diff before you commit it.
 */
import { copyFileSync, mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { type Bench, openBench } from '../support/umpire.ts'

const fixtures = resolve(import.meta.dirname, '../fixtures/day')

test('init, five tasks, work, a discussion, a note, improve, review, approve, merge, clean', async () => {
  const bench = openBench({
    files: { 'package.json': manifest, 'check.mjs': '// Nothing to complain about.\n' },
  })
  // The bench's settings are not the person's: this day begins without any.
  bench.git('rm', '-q', 'umpire.yaml')
  mkdirSync(join(bench.root, 'tools'))
  copyFileSync(join(fixtures, 'agent.mjs'), join(bench.root, 'tools/agent.mjs'))
  bench.git('add', '.')
  bench.git('commit', '-q', '-m', 'Bring an agent')

  const day: string[] = []
  const type = async (...args: string[]) => {
    const { code, stdout, stderr } = await bench.call(args, { env: { USER: 'ada' } })
    const words = args.map((word) => (/^[\w./#-]+$/.test(word) ? word : JSON.stringify(word)))
    const exit = code === 0 ? '' : `(exit code ${code})\n`
    day.push(`$ umpire ${words.join(' ')}\n${stdout}${stderr}${exit}`)
  }

  await type('init', '--yes', '--agent', 'tools/agent.mjs')
  await type('add', 'Say goodbye, too', '-d', 'A function goodbye(name) beside hello(name).')
  await type('add', 'Greet in French', '--accept', 'has a test')
  await type('add', 'Greet loudly', '--no-review')
  await type('add', 'Rename the --name flag', '-d', 'It is called --who from now on.')
  await type('add', 'Write a changelog')
  await type('work', '--parallel', '1')
  await type('status')
  await type('show', '4')
  await type('reviews', '4')
  await type('improve', '4', '--note', 'Keep the old flag working beside the new one.')
  await type('review', '4')
  await type('edit', '4', '--verdict', 'APPROVED', '--why', 'The changelog tells it.')
  await type('log', '4', '--role', 'reviewer')
  await type('diff', '4')
  await type('merge', '1', '2', '3', '4', '5')
  await type('clean')
  await type('status')
  await type('work')
  day.push(
    `$ git log --oneline --first-parent main\n${bench.git('log', '--format=%s', '--first-parent', 'main')}`,
  )

  await expect(steady(day.join('\n'), bench)).toMatchFileSnapshot(join(fixtures, 'day.txt'))
  expect(bench.git('branch', '--list', 'umpire/*')).toBe('')
  expect(bench.git('status', '--porcelain')).toBe('?? umpire.yaml')
})

const manifest = `${JSON.stringify({ name: 'greeter', scripts: { test: 'node check.mjs' } })}\n`

/** Replaces everything that differs from run to run: paths, commits, times. */
function steady(text: string, { root }: Bench): string {
  return (
    text
      .replaceAll(root, '/home/ada/greeter')
      .replace(/\b[0-9a-f]{10}\b/g, '<commit>')
      .replace(/\b[0-9a-f]{7}\b/g, '<blob>')
      .replace(/\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+Z)?/g, '<time>')
      .replace(/\b\d\d:\d\d(:\d\d)?\b/g, '<clock>')
      .replace(/\b(under )?\d+ (ms|s|min|h)( \d+ s)?\b/g, '<duration>')
      .replace(/just now|<duration> ago/g, '<ago>')
      .replace(/\b\d{8}-task/g, '<date>-task')
      // Tasks that are merged together start in any order.
      .replace(
        /(?:^#\d+ .*(?:Merging into|Merged into) .*\n){2,}/gm,
        (lines) => `${lines.trimEnd().split('\n').sort().join('\n')}\n`,
      )
  )
}
