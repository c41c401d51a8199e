/** What a person sees on a real terminal: live progress, colours, and a clean terminal afterwards. */
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { hasTerminal, startOnTerminal } from '../support/on-terminal.ts'
import { FakeTerminal } from '../support/terminal.ts'
import { fileAppears, openBench, until } from '../support/umpire.ts'

const colour = /\u001b\[\d+m/

/** The text that is left on the screen after all redraws. */
function seen(written: string, columns = 80, rows = 24): string {
  const terminal = new FakeTerminal(columns, rows)
  // A terminal echoes a typed Ctrl-C like this.
  terminal.write(written.replaceAll('\u0003', '^C'))
  return terminal.text
}

const scenario = {
  developer: [
    { task: 'Add feature X', do: [{ write: { a: '' } }, { say: 'Thinking aloud' }, ...pause('developing')] },
  ],
  reviewer: [
    {
      task: 'Add feature X',
      do: [...pause('reviewing'), { submit: { verdict: 'NEEDS_DISCUSSION', summary: 'Should it?' } }],
    },
  ],
}

function pause(name: string) {
  return [{ touch: `$BENCH/${name}` }, { await: `$BENCH/${name}-on` }]
}

describe.skipIf(!hasTerminal)('on a terminal', () => {
  test('work updates running tasks in place, prints events above them, and ends with what is needed', async () => {
    const bench = openBench({ scenario, config: { max_cycles: 3 } })
    await bench.add('Add feature X')
    const work = startOnTerminal(bench, ['work'])
    await fileAppears(join(bench.folder, 'developing'))
    await until(() => /\[1\/3\] .*Developing… 0:0[1-9]/.test(work.stdout()), 'the clock to tick')
    await until(() => work.stdout().includes('Thinking aloud'), 'the agent’s words')
    expect(seen(work.stdout())).toMatch(
      /^→ 1\. Add feature X {2}\[1\/3\] Developing… 0:\d\d\n {4}Thinking aloud$/,
    )
    bench.write({ '../developing-on': '' })
    await fileAppears(join(bench.folder, 'reviewing'))
    await until(() => work.stdout().includes('Reviewing… '), 'the review')
    expect(seen(work.stdout())).toMatch(/^→ 1\. Add feature X {2}\[1\/3\] Reviewing… 0:\d\d$/)
    bench.write({ '../reviewing-on': '' })
    const { code, stdout } = await work.ended
    expect(code).toBe(3)
    expect(stdout).toMatch(colour)
    expect(seen(stdout).split('\n')).toEqual([
      '#1 [1/3] Review: NEEDS_DISCUSSION - Should it?',
      expect.stringMatching(/^#1 \[1\/3\] Blocked \(needs_discussion\): .*Should it\?/),
      '! 1. implement Add feature X  blocked  NEEDS_DISCUSSION (1 cycle)',
      expect.stringMatching(/^ {4}.*Should it\?/),
      '    Kept: branch umpire/1-add-feature-x and its worktree.',
      expect.stringMatching(/^ {4}next: umpire reviews 1 {2}· /),
    ])
  })

  test('Ctrl-C stops the agents, says so, and leaves a clean terminal', async () => {
    const bench = openBench({ scenario })
    await bench.add('Add feature X')
    const work = startOnTerminal(bench, ['work'])
    await fileAppears(join(bench.folder, 'developing'))
    await until(() => work.stdout().includes('Developing…'), 'the live line')
    work.type('\u0003')
    const { code, stdout } = await work.ended
    expect(code).toBe(130)
    expect(seen(stdout).split('\n')).toEqual([
      'Stopping agents and saving state… Press Ctrl-C again to quit now.',
      expect.stringMatching(/^#1 .*Interrupted\. umpire work continues where it stopped\.$/),
      expect.stringMatching(/^· 1\. implement Add feature X {2}pending /),
    ])
    // All terminal modes are restored.
    expect(stdout.lastIndexOf('\u001b[?7h')).toBeGreaterThan(stdout.lastIndexOf('\u001b[?7l'))
    expect(stdout).not.toContain('\u001b[?25l')
  })

  test('--plain and TERM=dumb give plain lines, NO_COLOR a live view without colours', async () => {
    const slow = { task: 'Three', do: [{ write: { a: '' } }, ...pause('developing')] }
    const bench = openBench({ scenario: { developer: [slow] } })
    for (const title of ['One', 'Two', 'Three']) await bench.add(title)
    const plain = await startOnTerminal(bench, ['work', '1', '--plain']).ended
    const dumb = await startOnTerminal(bench, ['work', '2'], { env: { TERM: 'dumb' } }).ended
    for (const { stdout } of [plain, dumb]) {
      expect(stdout).not.toContain('\u001b')
      expect(stdout).toMatch(/^#\d \[1\/4\] Developing…\r\n/m)
    }
    const live = startOnTerminal(bench, ['work', '3'], { env: { NO_COLOR: '1' } })
    await until(() => live.stdout().includes('→ 3. Three  [1/4] '), 'the live line')
    bench.write({ '../developing-on': '' })
    const { stdout } = await live.ended
    expect(stdout).not.toMatch(colour)
    expect(seen(stdout)).toMatch(
      /✓ 3\. implement Three {2}completed {2}APPROVED \(1 cycle\)\nNext: umpire diff 3 .*$/,
    )
    // Without a terminal, FORCE_COLOR turns on colours.
    expect((await bench.call(['status'], { env: { FORCE_COLOR: '1' } })).stdout).toMatch(colour)
    expect((await bench.umpire('status')).stdout).not.toContain('\u001b')
  })

  test('status --watch redraws in place', async () => {
    const bench = openBench()
    await bench.add('First')
    const watching = startOnTerminal(bench, ['status', '--watch'])
    await until(() => watching.stdout().includes('First'), 'the first task')
    await bench.add('Second')
    await until(() => watching.stdout().includes('Second'), 'the second task')
    await bench.umpire('cancel', '1')
    await until(() => watching.stdout().includes('cancelled'), 'the cancellation')
    watching.type('\u0003')
    const { stdout } = await watching.ended
    expect(seen(stdout).split('\n').slice(0, 2)).toEqual([
      '- 1. implement First  cancelled',
      '· 2. implement Second  pending',
    ])
    expect(stdout).not.toContain('\u001b[2J')
  })

  test('log and diff have only Umpire’s own colours', async () => {
    const bench = openBench({
      scenario: {
        developer: [
          { do: [{ write: { 'a.txt': 'new\u202e\r\n' } }, { say: 'Done.' }, { complain: 'a warning' }] },
        ],
      },
    })
    await bench.add('Coloured')
    await bench.umpire('work')
    const log = (await startOnTerminal(bench, ['log', '1']).ended).stdout
    expect(log).toMatch(/\u001b\[1m\u001b\[36m── 1-1 developer, .* ──\u001b\[39m\u001b\[22m\r\n/)
    expect(log).toContain('\r\nDone.\r\n')
    expect(log).toContain('\u001b[2ma warning\u001b[22m\r\n')
    const diff = (await startOnTerminal(bench, ['diff', '1']).ended).stdout
    // Characters that would reverse the line or be hidden are spelled out.
    expect(diff).toContain('\u001b[32m+new\\u202e\\u000d\u001b[39m')
    expect((await bench.umpire('diff', '1')).stdout).toContain('+new\u202e\r\n')
  })
})
