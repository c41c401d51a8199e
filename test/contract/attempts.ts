/** What every attempts adapter must do. An adapter's test calls this with a way to open it. */
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { Attempts, Watch } from '../../src/attempts/attempt.ts'
import { identify } from '../../src/lib/process/process-identity.ts'
import { type AttemptsUnderTest, allGone, exited, fixture, never, useAttempts } from './attempts-bench.ts'

export function describeAttempts(name: string, open: (folder: string) => AttemptsUnderTest): void {
  describe(name, () => {
    const { opened, folder: theFolder, start, follow, run, shell, runShell } = useAttempts(open)
    let attempts: Attempts
    let folder: string
    beforeEach(() => {
      attempts = opened().attempts
      folder = theFolder()
    })

    describe('the agent gets', () => {
      it('its arguments unchanged, whatever they contain', async () => {
        const hostile = [
          '$(touch x)',
          '`id`',
          "it's",
          '"',
          '-n',
          '--',
          'a\nb\\n',
          '',
          '*',
          ' ',
          '\x1f',
          'é'.repeat(50_000),
        ]
        const { stdout } = await run(['node', fixture('reports-itself.mjs'), ...hostile])
        expect(JSON.parse(stdout[0] ?? '').argv).toEqual(hostile)
      })

      it('its environment, with names that no shell would keep, and the id of its attempt', async () => {
        const env = {
          PATH: process.env.PATH ?? '',
          'a.b-c': 'x y\nz',
          'BASH_FUNC_f%%': '() { :; }',
          IFS: 'x',
          EMPTY: '',
        }
        const { stdout } = await run(['node', fixture('reports-itself.mjs')], { env })
        const got = JSON.parse(stdout[0] ?? '').env
        expect(got).toMatchObject({
          'a.b-c': 'x y\nz',
          'BASH_FUNC_f%%': '() { :; }',
          EMPTY: '',
          PATH: env.PATH,
        })
        expect(got).toMatchObject({ UMPIRE_ATTEMPT: 'a-1' })
        expect(Object.keys(got)).not.toContain('UMPIRE_KEEPER')
      })

      it('its folder and the umask that Umpire was started with', async () => {
        const { stdout } = await run(['node', fixture('reports-itself.mjs')])
        expect(JSON.parse(stdout[0] ?? '')).toMatchObject({ cwd: folder, umask: process.umask() })
      })

      it('its whole standard input, and then end of file', async () => {
        const stdin = 'line \u2028 one\n'.repeat(100_000)
        const { stdout, end } = await run(['cat'], { stdin })
        expect(stdout.join('\n')).toBe(stdin.trimEnd())
        expect(end).toEqual(exited(0))
      })

      it.each(['HUP', 'INT', 'QUIT', 'TERM', 'PIPE', 'USR2'])(
        'SIG%s as usual, not ignored',
        async (signal) => {
          const { end, stdout } = await runShell(`ulimit -c 0; kill -${signal} $$; echo survived`)
          expect(stdout).toEqual([])
          expect(end).toMatchObject({ kind: 'exited', code: expect.any(Number) })
          expect(end.kind === 'exited' && end.code).toBeGreaterThan(128)
        },
      )
    })

    describe('its end', () => {
      it('has the exit code of the agent', async () => {
        expect((await runShell('exit 7')).end).toEqual(exited(7))
      })

      it('has an exit code over 128 after a signal', async () => {
        expect((await runShell('kill -KILL $$')).end).toEqual(exited(137))
      })

      it('has exit code 127 if the program does not exist, with the reason on standard error', async () => {
        const { end, stderr } = await run(['no-such-agent', '-x'])
        expect(end).toEqual(exited(127))
        expect(stderr.join('\n')).toContain('no-such-agent')
      })

      it('is the same when the agent never reads its long prompt', async () => {
        expect((await runShell('exit 3', { stdin: 'x'.repeat(1_000_000) })).end).toEqual(exited(3))
      })

      it('is the same when the agent closes its output and goes on', async () => {
        const { end, stdout, stderr } = await runShell('echo out; exec >&-; echo err >&2; exit 4')
        expect({ end, stdout, stderr }).toEqual({ end: exited(4), stdout: ['out'], stderr: ['err'] })
      })

      it('is published even if the agent kills its own process group', async () => {
        expect((await runShell('kill -TERM 0')).end).toEqual(exited(143))
      })

      it('stops the processes it left behind, even in another session or with another environment', async () => {
        const { end, stdout } = await run(['node', fixture('leaves-processes-behind.mjs')])
        const pids = (stdout[0] ?? '').split(' ').map(Number)
        expect(pids).toHaveLength(2)
        expect(pids.map((pid) => identify(pid))).toEqual([null, null])
        expect(end).toEqual(exited(0))
      })

      it('comes at the time limit, even if no process watches and SIGTERM is ignored', async () => {
        const id = await shell("trap '' TERM; echo $$; while :; do sleep 1; done", { limitMs: 100 })
        await vi.waitFor(async () => expect(await attempts.attach(id)).toBe('done'), 120_000)
        const { end, stdout } = await follow(id)
        expect(end).toMatchObject({ kind: 'exited', code: 137, overdue: true })
        await allGone(stdout.map(Number))
      })

      it('comes at the time limit, even if its processes come and go too fast to be listed', async () => {
        // Four at once, because a single one may be listed in a lucky moment.
        const restless = 'for i in 1 2 3 4; do while :; do /bin/true; done & done; wait'
        const ids = await Promise.all([1, 2, 3, 4].map(() => shell(restless, { limitMs: 100 })))
        for (const id of ids) {
          await vi.waitFor(async () => expect(await attempts.attach(id)).toBe('done'), 120_000)
          expect((await follow(id)).end).toMatchObject({ kind: 'exited', overdue: true })
        }
      })

      it('is idle when the agent prints nothing for too long', async () => {
        const id = await shell('echo $$; exec sleep 600')
        const { end, stdout } = await follow(id, { idleMs: 200 })
        expect(end).toEqual({ kind: 'idle' })
        expect(await attempts.attach(id)).not.toBe('running')
        await allGone(stdout.map(Number))
      })

      it('is not idle while the agent prints on either of its outputs', async () => {
        const script = 'for i in 1 2 3 4 5 6 7 8; do sleep 0.3; printf . >&2; done'
        expect((await follow(await shell(script), { idleMs: 2000 })).end).toEqual(exited(0))
      })

      it('is aborted by the signal, and everything the agent printed is delivered', async () => {
        const stop = new AbortController()
        const seen: string[] = []
        const id = await shell("trap 'echo bye; exit' TERM; echo hello; while :; do sleep 0.05; done")
        const end = await attempts.follow(
          id,
          {
            idleMs: null,
            async onLines(source, lines) {
              if (source === 'stdout') seen.push(...lines.map((line) => line.text))
              stop.abort()
            },
          },
          stop.signal,
        )
        expect(end).toEqual({ kind: 'aborted' })
        expect(seen).toEqual(['hello', 'bye'])
        expect(await attempts.attach(id)).not.toBe('running')
      })
    })

    describe('its output', () => {
      it('keeps standard output and standard error apart', async () => {
        const { stdout, stderr } = await runShell('echo one; echo two >&2; echo three')
        expect({ stdout, stderr }).toEqual({ stdout: ['one', 'three'], stderr: ['two'] })
      })

      it('is split at newlines only, without the carriage returns before them', async () => {
        const { lines } = await runShell("printf 'a\\342\\200\\250b\\r\\n\\n\\tc\\rd\\n'")
        expect(lines.stdout).toEqual([
          { text: 'a\u2028b', end: 7 },
          { text: '', end: 8 },
          { text: '\tc\rd', end: 13 },
        ])
      })

      it('is delivered even if the last line has no newline and contains invalid bytes', async () => {
        expect((await runShell("printf 'ok\\nbad \\377 byte'")).stdout).toEqual(['ok', 'bad \ufffd byte'])
      })

      it('may contain a line too long for memory: the rest of it goes to a file', async () => {
        const { lines } = await run(['node', fixture('prints-a-long-line.mjs'), '12'])
        const [first, long, last] = lines.stdout
        expect([first?.text, last?.text, lines.stdout.length]).toEqual(['first', 'last', 3])
        expect(long?.text.length).toBeLessThanOrEqual(1_000_000)
        const rest = await readFile(long?.overflow ?? '', 'utf8')
        expect(`${long?.text}${rest}` === 'äb€'.repeat(200_000).slice(0, 400_000).repeat(12)).toBe(true)
        expect((await stat(long?.overflow ?? '')).mode & 0o777).toBe(0o600)
      })

      it('comes in pieces of limited size, one at a time, however slow the reader is', async () => {
        const id = await start(['sh', '-c', 'yes 0123456789 | head -c 3000000; yes x | head -c 3000000 >&2'])
        let taking = 0
        let bytes = 0
        const onLines: Watch['onLines'] = async (_source, lines) => {
          expect(++taking).toBe(1)
          await new Promise(setImmediate)
          const size = lines.reduce((sum, line) => sum + line.text.length + 1, 0)
          expect(size).toBeLessThan(1_000_000)
          bytes += size
          taking--
        }
        expect(await attempts.follow(id, { idleMs: null, onLines }, never)).toEqual(exited(0))
        expect(bytes).toBeGreaterThanOrEqual(6_000_000)
      })

      it('is read from the start by a later reader', async () => {
        const id = await shell('echo one; echo two')
        const first = await follow(id)
        expect(await follow(id)).toEqual(first)
      })

      it('continues when a program reopens /dev/stderr, which truncates it', async () => {
        const { stderr } = await runShell('echo a longer line >&2; echo two >/dev/stderr; echo three >&2')
        expect(stderr.slice(-2)).toEqual(['two', 'three'])
      })
    })

    describe('its keeper', () => {
      it('is absent before the start, then running, then done', async () => {
        expect(await attempts.attach('a-1')).toBe('absent')
        const id = await shell('while [ ! -e go ]; do sleep 0.02; done')
        expect(await attempts.attach(id)).toBe('running')
        await runShell('touch go', { id: 'other' })
        await follow(id)
        expect(await attempts.attach(id)).toBe('done')
      })

      it('runs it only once, however often it is started', async () => {
        const argv: [string, ...string[]] = ['sh', '-c', 'echo run >>runs']
        await Promise.all(Array.from({ length: 8 }, () => start(argv, { id: 'same' })))
        expect((await follow('same')).end).toEqual(exited(0))
        await start(argv, { id: 'same' })
        expect(await readFile(join(folder, 'runs'), 'utf8')).toBe('run\n')
      })

      it('never runs it after a kill before the start', async () => {
        await attempts.kill('a-1')
        const id = await shell('touch ran', { id: 'a-1' })
        expect(await attempts.attach(id)).toBe('dead')
        expect((await follow(id)).end).toEqual({ kind: 'lost' })
        await expect(stat(join(folder, 'ran'))).rejects.toThrow('ENOENT')
      })

      it('is gone after a kill, with every grandchild', async () => {
        const id = await shell(
          "trap '' TERM; sleep 600 & setsid sleep 600 & env -i sleep 600 & echo $$ $!; wait; wait; wait",
        )
        const pids: number[] = []
        const untilSeen: Watch['onLines'] = async (_source, [line]) => {
          pids.push(...(line?.text ?? '').split(' ').map(Number))
          throw new Error('seen')
        }
        await expect(follow(id, { onLines: untilSeen })).rejects.toThrow('seen')
        await attempts.kill(id)
        expect(pids.map((pid) => identify(pid))).toEqual([null, null])
        expect(await attempts.attach(id)).not.toBe('running')
        await attempts.kill(id)
      })

      it('can be killed by several callers at once, right after the start', async () => {
        const ids = await Promise.all([1, 2, 3].map((n) => shell('exec sleep 600', { id: `k-${n}` })))
        await Promise.all([...ids, ...ids].map((id) => attempts.kill(id)))
        for (const id of ids) expect(await attempts.attach(id)).not.toBe('running')
      })

      it('fails with an error when the folder to run in does not exist', async () => {
        await expect(start(['true'], { cwd: join(folder, 'gone') })).rejects.toThrow('does not exist')
      })
    })

    describe('its folder', () => {
      it('cannot be removed while it runs, and is absent once removed', async () => {
        const id = await shell('exec sleep 600')
        await expect(attempts.remove(id)).rejects.toThrow('is still running')
        await attempts.kill(id)
        await attempts.remove(id)
        expect(await attempts.attach(id)).toBe('absent')
      })
    })
  })
}
