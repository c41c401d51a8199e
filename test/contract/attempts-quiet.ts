/** What every attempts adapter must do with agents that fall quiet without exiting. */
import { existsSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type AttemptsUnderTest, allGone, exited, useAttempts } from './attempts-bench.ts'

export function describeQuiet(name: string, open: (folder: string) => AttemptsUnderTest): void {
  describe(name, () => {
    const { opened, folder, follow, shell } = useAttempts(open)
    /** Here the agent works on a single file. */
    const work = () => {
      const path = join(folder(), 'work')
      return existsSync(path) ? readFileSync(path, 'utf8') : ''
    }
    const waiting = 'while [ ! -e go ]; do sleep 0.02; done'

    it('ends as quiet, with all its processes, when it neither prints nor changes anything', async () => {
      const id = await shell('echo draft >work; echo $$; setsid sleep 600 & echo $!; wait')
      const { end, stdout } = await follow(id, { quiet: { afterMs: 200, look: async () => work() } })
      expect(end).toEqual({ kind: 'quiet' })
      expect(await opened().attempts.attach(id)).not.toBe('running')
      expect(stdout).toHaveLength(2)
      await allGone(stdout.map(Number))
    })

    it('is not quiet while its work keeps changing, whatever the idle limit', async () => {
      const id = await shell(`${waiting}; exit 5`)
      let looks = 0
      const look = async () => {
        if (++looks === 12) await writeFile(join(folder(), 'go'), '')
        return String(looks)
      }
      // Much longer than its idle limit, and each check finds something new.
      const { end } = await follow(id, { idleMs: 150, quiet: { afterMs: 100, look } })
      expect(end).toEqual(exited(5))
      expect(looks).toBeGreaterThanOrEqual(12)
    })

    it('is not quiet when it prints during a check', async () => {
      const id = await shell(`${waiting}; echo so; while [ ! -e on ]; do sleep 0.02; done; exit 5`)
      let looks = 0
      const heard: string[] = []
      const look = async () => {
        // The second check of a silence would find nothing new.
        if (++looks === 2) {
          await writeFile(join(folder(), 'go'), '')
          while (!readFileSync(outputOf(id), 'utf8').includes('so')) await new Promise(setImmediate)
        }
        if (looks === 3) await writeFile(join(folder(), 'on'), '')
        return looks > 3 ? String(looks) : 'the same'
      }
      const onLines = async (_source: string, lines: { text: string }[]) => {
        heard.push(...lines.map(({ text }) => text))
      }
      const { end } = await follow(id, { quiet: { afterMs: 100, look }, onLines })
      expect(end).toEqual(exited(5))
      expect(heard).toEqual(['so'])
    })

    it('is idle instead when its work cannot be checked', async () => {
      const id = await shell('exec sleep 600')
      const { end } = await follow(id, { idleMs: 400, quiet: { afterMs: 100, look: async () => null } })
      expect(end).toEqual({ kind: 'idle' })
    })

    it('has its own exit code when it exits by itself', async () => {
      const id = await shell('exit 7')
      const { end } = await follow(id, { quiet: { afterMs: 60_000, look: async () => work() } })
      expect(end).toEqual(exited(7))
    })

    it('is aborted, not quiet, when the signal aborts during a check', async () => {
      const id = await shell('exec sleep 600')
      const stop = new AbortController()
      let looks = 0
      const look = async () => {
        if (++looks === 2) stop.abort()
        return 'the same'
      }
      const { end } = await follow(id, { quiet: { afterMs: 100, look } }, stop.signal)
      expect(end).toEqual({ kind: 'aborted' })
    })

    function outputOf(id: string): string {
      return join(folder(), 'attempts', id, 'stdout')
    }
  })
}
