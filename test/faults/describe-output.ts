/** Agents that print too much. */
import '../support/patient.ts'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { type Bench, openBench, type Ran, type Scenario } from '../support/umpire.ts'

export interface Amounts {
  /** In MB. */
  line: number
  total: number
  /** Lines of one letter. */
  tiny: number
}

/** In kB, of the umpire process itself. */
const mostMemory = 400 * 1024
const secret = `ghp_${'Ab3'.repeat(12)}`
const flood = resolve(import.meta.dirname, '../fixtures/agents/flood.mjs')

export function openFlood(amounts: Amounts, scenario: Scenario = {}): Bench {
  const env = {
    FLOOD_LINE_MB: String(amounts.line),
    FLOOD_TOTAL_MB: String(amounts.total),
    FLOOD_TINY: String(amounts.tiny),
    FLOOD_SECRET: secret,
  }
  return openBench({
    scenario,
    config: {
      roles: { developer: { agent: 'flood', env }, reviewer: 'actor' },
      agents: { flood: { command: ['node', flood] } },
      parallel: 1,
    },
  })
}

/** Runs `umpire work` and also returns the peak memory of the command itself, in kB. */
async function workMeasured(bench: Bench): Promise<Ran & { peak: number }> {
  const work = bench.start('work')
  let peak = 0
  const looking = setInterval(() => {
    try {
      const status = readFileSync(`/proc/${work.pid}/status`, 'utf8')
      peak = Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? peak)
    } catch {}
  }, 20)
  const ran = await work.ended
  clearInterval(looking)
  return { ...ran, peak }
}

export const raw = (bench: Bench, id: number) =>
  bench.umpire('log', String(id), '--role', 'developer', '--raw')
const size = (path: string) => (existsSync(path) ? statSync(path).size : 0)

export function describeOutput(amounts: Amounts): void {
  test('keeps a line of any length whole and redacted, in bounded memory and outside the database', async () => {
    // A reviewer's standard error is not part of its answer, however long it is.
    const complains = { do: [{ complain: 'e'.repeat(1_200_000) }, { say: '**Verdict: APPROVED**' }] }
    const bench = openFlood(amounts, { reviewer: [complains] })
    const id = await bench.add('one long line')
    const work = await workMeasured(bench)
    expect(work).toMatchObject({ code: 0, stderr: '' })
    expect(work.peak).toBeGreaterThan(0)
    expect(work.peak).toBeLessThan(mostMemory)
    expect((await bench.show(id)).sessions[0]).toMatchObject({ status: 'done', messages: 3 })

    const database = join(bench.home, 'umpire.db')
    expect(size(database) + size(`${database}-wal`)).toBeLessThan(3_000_000)
    const file = join(bench.home, `transcripts/${id}-1-1.txt`)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(statSync(file).size).toBeGreaterThan(amounts.line * 900_000)
    const lines = (await bench.umpire('log', String(id), '--role', 'developer')).stdout.split('\n')
    expect(lines[1]).toBe('first')
    expect(lines[2]).toMatch(
      /^x{9990}.*… \[the whole line, \d+(\.\d)? MB, is in \.umpire\/transcripts\/1-1-1\.txt\]$/,
    )
    expect(lines[3]).toBe('last')
    if (amounts.line > 100) return
    const stored = readFileSync(file, 'utf8')
    const piece = `[redacted] ${`${'äb€-'.repeat(200)}[redacted]`.repeat(100)} `
    const pieces = (stored.length - 999_990) / piece.length
    expect(stored === `${'x'.repeat(999_989)} ${piece.repeat(pieces)}`).toBe(true)
    expect((await raw(bench, id)).stdout).toBe(`first\n${stored}\nlast\n`)
  })

  test('keeps much output and very many lines, in bounded memory', async () => {
    const bench = openFlood(amounts)
    const ids = { many: await bench.add('many lines'), tiny: await bench.add('tiny lines') }
    const work = await workMeasured(bench)
    expect(work).toMatchObject({ code: 0, stderr: '' })
    expect(work.peak).toBeLessThan(mostMemory)
    const lines = Math.ceil((amounts.total * 1_000_000) / (501 * 2_000)) * 2_000
    expect((await bench.show(ids.many)).sessions[0]).toMatchObject({ status: 'done', messages: lines })
    expect((await bench.show(ids.tiny)).sessions[0]).toMatchObject({ status: 'done', messages: amounts.tiny })
    const database = join(bench.home, 'umpire.db')
    const needed = amounts.total * 1_000_000 + 2 * amounts.tiny + (lines + amounts.tiny) * 80
    expect(size(database) + size(`${database}-wal`)).toBeLessThan(needed * 1.3)
  })
}
