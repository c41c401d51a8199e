/** `worktree.ports`: two test suites that open servers can run at once. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openBench } from '../support/umpire.ts'

/** Listens on all its ports until the other suite does, too. */
const suite = `
import { appendFileSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
const { UMPIRE_PORT, UMPIRE_PORT_COUNT, UMPIRE_PORTS, PORT, BENCH } = process.env
const ports = UMPIRE_PORTS.split(' ').map(Number)
const servers = ports.map((port) => createServer().listen(port, '127.0.0.1'))
await Promise.all(servers.map((server) => once(server, 'listening')))
if ((PORT !== '1' && PORT !== UMPIRE_PORT) || ports[0] !== Number(UMPIRE_PORT) || ports.length !== Number(UMPIRE_PORT_COUNT)) process.exit(1)
appendFileSync(BENCH + '/suites', UMPIRE_PORTS + '\\n')
while (readFileSync(BENCH + '/suites', 'utf8').split('\\n').length < 3) await sleep(20)
for (const server of servers) server.close()
`

const note = (name: string) => ({ run: ['sh', '-c', `echo "$PORT $UMPIRE_PORTS" > "$BENCH/${name}"`] })

test('worktree.ports gives each loop its own free ports, in the environment of everything that runs for it', async () => {
  const bench = openBench({
    config: {
      worktree: { ports: 3, setup: ['echo "$UMPIRE_PORTS" >> "$BENCH/set-ups"'] },
      ...{ gates: { test: 'node suite.mjs' }, parallel: 2, land: 'base', limits: { gate: '60s' } },
    },
    files: { 'suite.mjs': suite },
    scenario: {
      developer: [1, 2, 3].map((task) => ({
        task,
        do: [note(`developer-${task}`), { write: { [`${task}.txt`]: 'x' } }],
      })),
      reviewer: [1, 2, 3].map((task) => ({
        task,
        do: [note(`reviewer-${task}`), { submit: { verdict: 'APPROVED', summary: 'Fine.' } }],
      })),
    },
  })
  const noted = (name: string) => readFileSync(join(bench.folder, name), 'utf8').trim()
  await bench.add('One suite')
  await bench.add('Another suite')
  const work = await bench.umpire('work', '--plain')
  expect(work.stdout).not.toContain('failed')
  expect(work.code).toBe(0)

  const suites = noted('suites').split('\n')
  const [one = '', other = ''] = suites
  expect(new Set([...one.split(' '), ...other.split(' ')]).size).toBe(6)
  // Each suite ran for the work and again for the merged result. All processes of a loop got the same ports.
  expect(suites.sort()).toEqual([one, one, other, other].sort())
  for (const role of ['developer', 'reviewer']) {
    const told = [noted(`${role}-1`), noted(`${role}-2`)]
    expect(told.sort()).toEqual([one, other].map((ports) => `${ports.split(' ')[0]} ${ports}`).sort())
  }
  expect(new Set(noted('set-ups').split('\n'))).toEqual(new Set([one, other]))

  // Another server takes a port of the range that the third loop would get, and a PORT that the person set stays.
  const first = (task: number) => Number(noted(`developer-${task}`).split(' ')[1])
  const taken = first(2) + (first(2) - first(1))
  const server = createServer().listen(taken + 1, '127.0.0.1')
  await once(server, 'listening')
  await bench.add('A third one')
  expect((await bench.call(['work'], { env: { PORT: '1' } })).code).toBe(0)
  const [port, ...ports] = noted('developer-3').split(' ')
  expect(port).toBe('1')
  expect(ports).toHaveLength(3)
  expect(ports).not.toContain(String(taken))
  server.close()
  await once(server, 'close')
})
