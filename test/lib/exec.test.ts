import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { exec } from '../../src/lib/process/exec.ts'

/** A small program, given as its source. */
const node = (source: string): [string, ...string[]] => [process.execPath, '-e', source]
const hour = 3_600_000

describe('exec', () => {
  let folder: string
  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'umpire-exec-')))
  })
  afterEach(() => rm(folder, { recursive: true, force: true }))

  it('returns the exit code and both outputs', async () => {
    const result = await exec(node('console.log("out"); console.error("err"); process.exit(3)'))
    expect({ ...result, stdout: result.stdout.toString() }).toEqual({
      code: 3,
      signal: null,
      stdout: 'out\n',
      stderr: 'err\n',
      timedOut: false,
      truncated: false,
    })
  })

  it('loses no output that was printed while this process was busy', async () => {
    const isBusyFor = (ms: number) => {
      for (const end = Date.now() + ms; Date.now() < end; );
    }
    const first = spawn('sh', ['-c', 'echo first'])
    const result = exec(['sh', '-c', 'sleep 0.5; echo second; echo >printed'], { cwd: folder })
    const third = spawn('true')
    // All three programs exit in one turn of the event loop, before the second one's pipe is read again. Handling the
    // third exit takes longer than exec waits for more output of a program that has exited.
    first.stdout.once('data', () => {
      while (!existsSync(join(folder, 'printed'))) isBusyFor(1)
      isBusyFor(200)
    })
    third.once('exit', () => isBusyFor(1_500))
    isBusyFor(200)
    expect((await result).stdout.toString()).toBe('second\n')
  })

  it('passes arguments unchanged, without a shell', async () => {
    const words = ['$(touch evil)', '; rm -rf /', '', "it's", 'two\nlines']
    const result = await exec([...node('console.log(JSON.stringify(process.argv.slice(1)))'), '--', ...words])
    expect(JSON.parse(result.stdout.toString())).toEqual(words)
  })

  it('passes standard input, working directory and environment', async () => {
    const source = 'process.stdin.on("data", (d) => console.log(process.cwd(), process.env.WORD, String(d)))'
    const options = { cwd: folder, env: { WORD: 'hello' }, stdin: 'given' }
    expect((await exec(node(source), options)).stdout.toString()).toBe(`${folder} hello given\n`)
  })

  it('accepts a program that exits without reading its input', async () => {
    const result = await exec(node('process.exit(0)'), { stdin: 'x'.repeat(4_000_000) })
    expect(result.code).toBe(0)
  })

  it('names the signal that ended a program', async () => {
    expect(await exec(node('process.kill(process.pid, "SIGKILL")'))).toMatchObject({
      code: null,
      signal: 'SIGKILL',
    })
  })

  it('rejects when the program does not exist', async () => {
    await expect(exec(['no-such-program-anywhere'])).rejects.toMatchObject({ code: 'ENOENT' })
  })

  it('ends a program that prints more than the limit, and keeps the output so far', async () => {
    const source = 'process.stdout.write("x".repeat(100000)); setInterval(() => {}, 1000)'
    const result = await exec(node(source), { maxBytes: 1000, limitMs: hour })
    expect(result).toMatchObject({ truncated: true, timedOut: false })
    expect(result.stdout.toString()).toBe('x'.repeat(1000))
  })

  it('ends a program and its children at the timeout', async () => {
    const stubborn = join(folder, 'stubborn.sh')
    await writeFile(stubborn, 'trap "" TERM\necho $$ > pid\nwhile :; do sleep 1; done\n')
    const running = exec(['/bin/sh', '-c', `sh ${stubborn} & wait`], {
      cwd: folder,
      limitMs: 1_000,
      graceMs: 50,
    })
    const pid = await vi.waitFor(async () => Number(await readFile(join(folder, 'pid'), 'utf8')), 120_000)
    expect(await running).toMatchObject({ timedOut: true, code: null })
    await vi.waitFor(() => expect(isRunning(pid)).toBe(false), 120_000)
  })

  it('rejects with the reason of the abort signal, after the program has exited', async () => {
    const abort = new AbortController()
    const source = 'require("node:fs").writeFileSync("pid", String(process.pid)); setInterval(() => {}, 1000)'
    const running = exec(node(source), { cwd: folder }, abort.signal)
    const pid = await vi.waitFor(async () => Number(await readFile(join(folder, 'pid'), 'utf8')), 120_000)
    abort.abort(new Error('no longer wanted'))
    await expect(running).rejects.toThrow('no longer wanted')
    expect(isRunning(pid)).toBe(false)
  })

  it('starts nothing when the signal is already aborted', async () => {
    const start = exec(['no-such-program-anywhere'], {}, AbortSignal.abort(new Error('too late')))
    await expect(start).rejects.toThrow('too late')
  })

  it('does not wait for a leftover child that holds the output open', async () => {
    const source = `const left = require("node:child_process").spawn(process.execPath, ["-e", "setTimeout(() => {}, 60000)"], { stdio: "inherit" }); console.log(left.pid); left.unref(); process.exit(0)`
    const result = await exec(node(source), { limitMs: hour })
    const pid = Number(result.stdout.toString())
    try {
      expect(result.code).toBe(0)
      expect(isRunning(pid)).toBe(true)
    } finally {
      process.kill(pid, 'SIGKILL')
    }
  })
})

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  return true
}
