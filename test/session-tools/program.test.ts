/** The program behind the session tools, without a loop around it. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sessionTools } from '../support/tool-bench.ts'
import { overChild, type Running, until } from '../support/umpire.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'umpire-session-tools-'))
  const brief = { home: folder, UMPIRE_SESSION: '1-1', UMPIRE_TOKEN: 't', UMPIRE_TASK: '1' }
  writeFileSync(join(folder, 'session.json'), JSON.stringify({ ...brief, tools: ['run_gate'] }))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function start(args: string[], stdin = ''): Running {
  const child = spawn(process.execPath, [sessionTools, ...args], { stdio: 'pipe' })
  child.stdin.on('error', () => {})
  child.stdin.end(stdin)
  return overChild(child)
}

const run = (args: string[], stdin = '') => start(args, stdin).ended
const below = (...argv: string[]) => [folder, '--http', '--', ...argv]
const script = (text: string) => below(process.execPath, '--input-type=module', '-e', text)

describe('the server of a session', () => {
  it('reports the mistake when it is started with wrong arguments', async () => {
    for (const args of [
      [],
      [folder, '--http'],
      [folder, '--https', '--', 'true'],
      [folder, '--http', '--'],
    ]) {
      expect(await run(args)).toMatchObject({ code: 2, stderr: expect.stringContaining('FOLDER [--http') })
    }
    expect(await run([join(folder, 'nowhere')])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/session\.json can't be read \(ENOENT\)\. Pass the folder/),
    })
    writeFileSync(join(folder, 'session.json'), '{"home": 7}')
    expect(await run([folder])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('has been changed since Umpire wrote it'),
    })
  })

  it('exits when its standard input closes', async () => {
    expect(await run([folder])).toEqual({ code: 0, stdout: '', stderr: '', json: expect.any(Function) })
  })
})

describe('over HTTP', () => {
  it('wraps a program, and passes through its standard input, output and exit code', async () => {
    expect(await run(below('sh', '-c', 'cat; echo there >&2; exit 7'), 'the prompt')).toMatchObject({
      code: 7,
      stdout: 'the prompt',
      stderr: 'there\n',
    })
  })

  it('reports a missing or non-executable program as a shell does', async () => {
    expect(await run(below('no-such-program'))).toMatchObject({
      code: 127,
      stderr: 'no-such-program: not found\n',
    })
    expect(await run(below(folder))).toMatchObject({ code: 126 })
  })

  it('forwards signals, and exits like the program', async () => {
    const patient = start(below('sh', '-c', 'trap "exit 42" TERM; echo ready; while :; do sleep 0.05; done'))
    await until(() => patient.stdout().includes('ready'), 'the program')
    patient.kill('SIGTERM')
    expect((await patient.ended).code).toBe(42)
    expect((await run(below('sh', '-c', 'kill -KILL $$'))).code).toBe(137)
  })

  it('refuses requests without the token or with another host or origin', async () => {
    const ask = `
      import { request } from 'node:http'
      const { UMPIRE_MCP_URL: url, UMPIRE_MCP_TOKEN: token } = process.env
      const { port, pathname, hostname } = new URL(url)
      const own = { authorization: 'Bearer ' + token }
      const cases = [
        [{}, {}],
        [{ authorization: 'Bearer ' + token.slice(1) }, {}],
        [{ authorization: token }, {}],
        [{ ...own, host: 'evil.example:' + port }, {}],
        [{ ...own, host: '127.0.0.1' }, {}],
        [{ ...own, origin: 'https://evil.example' }, {}],
        [{ ...own, origin: 'null' }, {}],
        [own, { path: '/' }],
        [{ ...own, origin: 'http://127.0.0.1:' + port }, {}],
        [own, {}],
      ]
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: {
        protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } } })
      const statuses = []
      for (const [headers, more] of cases) {
        statuses.push(await new Promise((resolve, reject) => {
          const sent = request({ host: hostname, port, path: pathname, method: 'POST', ...more,
            headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers } },
            (response) => { response.resume(); resolve(response.statusCode) })
          sent.on('error', reject)
          sent.end(body)
        }))
      }
      console.log(JSON.stringify({ statuses, hostname }))
    `
    const ran = await run(script(ask))
    expect(ran.stderr).toBe('')
    expect(ran.json()).toEqual({
      statuses: [401, 401, 401, 403, 403, 403, 403, 404, 200, 200],
      hostname: '127.0.0.1',
    })
  })
})
