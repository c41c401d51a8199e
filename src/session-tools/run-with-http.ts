/**
 * The tools over HTTP, for programs that prefer that: on loopback, with its own token, for as long as its agent runs.
 * Any other request is rejected, by the token and by the host names in it. So no web page in a browser on this machine
 * can reach it under another name.
 */

import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { constants } from 'node:os'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createMcpHandler, type McpHttpHandler } from '@modelcontextprotocol/server'
import { codeOf } from '../lib/error-code.ts'
import { sha256 } from '../lib/text/sha256.ts'
import { createServer } from './server.ts'
import type { SessionBrief } from './session-brief.ts'

/** Returns the exit code for this process. */
export async function runWithHttp(
  brief: SessionBrief,
  [program, ...args]: [string, ...string[]],
): Promise<number> {
  const token = randomBytes(24).toString('base64url')
  // Stream from the start: a gate takes longer than clients wait for the first byte of an answer.
  const handler = createMcpHandler(() => createServer(brief), { responseMode: 'sse' })
  const http = createHttpServer((request, response) => {
    answer(request, response, token, handler).catch(() => response.destroy())
  })
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  const address = http.address()
  const port = typeof address === 'object' ? address?.port : null
  try {
    return await runChild(program, args, {
      ...process.env,
      UMPIRE_MCP_URL: `http://127.0.0.1:${port}/mcp`,
      UMPIRE_MCP_TOKEN: token,
    })
  } finally {
    await handler.close()
    http.close()
    http.closeAllConnections()
  }
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  token: string,
  handler: McpHttpHandler,
): Promise<void> {
  const status = refusal(request, token)
  if (status !== null) {
    response.writeHead(status, status === 401 ? { 'www-authenticate': 'Bearer' } : {}).end()
    return
  }
  const abort = new AbortController()
  response.once('close', () => abort.abort())
  const answered = await handler.fetch(toWeb(request, abort.signal))
  response.writeHead(answered.status, Object.fromEntries(answered.headers))
  if (answered.body === null) response.end()
  else await pipeline(Readable.fromWeb(answered.body), response)
}

/** Why a request is rejected: a wrong host name, a wrong path, or a wrong token. */
function refusal({ headers, url, socket }: IncomingMessage, token: string): 401 | 403 | 404 | null {
  const names = ['127.0.0.1', 'localhost'].map((name) => `${name}:${socket.localPort}`)
  const { host = '', origin } = headers
  if (!names.includes(host)) return 403
  if (origin !== undefined && !names.some((name) => origin === `http://${name}`)) return 403
  // Hashed, so that both have the same length and the comparison's timing reveals nothing.
  const [given, wanted] = [headers.authorization ?? '', `Bearer ${token}`].map((text) =>
    Buffer.from(sha256(text)),
  )
  if (!given || !wanted || !timingSafeEqual(given, wanted)) return 401
  return url === '/mcp' ? null : 404
}

function toWeb(request: IncomingMessage, signal: AbortSignal): Request {
  const { method = 'GET', headers, url, socket } = request
  const hasBody = method !== 'GET' && method !== 'HEAD'
  return new Request(`http://127.0.0.1:${socket.localPort}${url}`, {
    method,
    headers: Object.entries(headers).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
    signal,
    ...(hasBody ? { body: Readable.toWeb(request), duplex: 'half' } : {}),
  })
}

const passedOn = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'] as const

/** Like a shell: 127 if there is no such program, 126 if it can't be run, 128 and more for a signal. */
async function runChild(program: string, args: string[], env: NodeJS.ProcessEnv): Promise<number> {
  let child: ChildProcess | null = null
  const passOn = (signal: NodeJS.Signals) => void child?.kill(signal)
  // Register before the start: other processes may know the child at once, and a signal to this process must reach it.
  for (const signal of passedOn) process.on(signal, passOn)
  try {
    const started = spawn(program, args, { env, stdio: 'inherit' })
    child = started
    const [code, signal]: [number | null, NodeJS.Signals | null] = await new Promise((resolve, reject) => {
      started.once('error', reject)
      started.once('exit', (...end) => resolve(end))
    })
    return code ?? 128 + (signal === null ? 0 : constants.signals[signal])
  } catch (error) {
    const reason = codeOf(error) ?? error
    process.stderr.write(`${program}: ${reason === 'ENOENT' ? 'not found' : `can't be run (${reason})`}\n`)
    return reason === 'ENOENT' ? 127 : 126
  } finally {
    for (const signal of passedOn) process.off(signal, passOn)
  }
}
