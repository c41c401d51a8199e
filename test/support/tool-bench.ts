/** A bench whose agents have their session's tools: over HTTP, or from a server that they start as Claude Code does. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { type Bench, type BenchOptions, openBench } from './umpire.ts'

export const actor = resolve(import.meta.dirname, '../fixtures/agents/actor.mjs')
export const sessionTools = resolve(import.meta.dirname, '../../dist/session-tools.js')

/** `free`: as on a machine without a sandbox. `confined`: in the sandbox of this machine. */
export function openToolBench(
  way: 'http' | 'stdio',
  options: BenchOptions = {},
  standing: 'free' | 'confined' = 'free',
): Bench {
  const { config = {} } = options
  if (way === 'http') {
    const agents = { actor: { command: ['node', actor], tools: 'http' } }
    return openBench({ ...options, config: { ...config, agents } })
  }
  const roles = { developer: 'claude', reviewer: 'claude' }
  const bench = openBench({ ...options, config: { roles, ...config } })
  const { folder, env } = bench
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  const program = (name: string, text: string) =>
    writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 })
  program('claude', `ACTOR_SPEAKS=claude exec node '${actor}' "$@"`)
  if (standing === 'free') program('bwrap', 'exit 1')
  env.PATH = [bin, env.PATH].join(delimiter)
  // The real program keeps its own files there, and may write there even when confined.
  const own = join(folder, 'claude')
  mkdirSync(own)
  env.CLAUDE_CONFIG_DIR = own
  symlinkSync(join(own, 'played.jsonl'), join(folder, 'played.jsonl'))
  env.TMPDIR = join(folder, 'tmp')
  mkdirSync(env.TMPDIR)
  return bench
}

/** The tool calls of a role's agents, in order, with the answers. */
export function callsOf(bench: Bench, role: 'developer' | 'reviewer'): [string, boolean, string][] {
  return bench
    .played()
    .filter((note) => note.role === role && note.call !== undefined)
    .map(({ call = '', isError = false, answer = '' }) => [call, isError, answer])
}

/** Starts a server and calls one of its tools, from outside any session. */
export async function callFromOutside(
  folder: string,
  name: string,
  given: object = {},
): Promise<{ text: string; isError: boolean }> {
  const server = spawn(process.execPath, [sessionTools, folder], { stdio: ['pipe', 'pipe', 'inherit'] })
  const send = (message: object) => server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const clientInfo = { name: 'test', version: '1' }
  send({
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo },
  })
  send({ method: 'notifications/initialized' })
  send({ id: 2, method: 'tools/call', params: { name, arguments: given } })
  const ended = once(server, 'exit')
  for await (const line of createInterface(server.stdout)) {
    const message = JSON.parse(line)
    if (message.id !== 2) continue
    server.stdin.end()
    await ended
    return { text: message.result.content[0].text, isError: message.result.isError }
  }
  throw new Error('the server gave no answer')
}
