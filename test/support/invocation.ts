/** A call of the command in this process, with streams of its own that are kept as text. */
import { Readable, Writable } from 'node:stream'
import type { Invocation, OutputStream } from '../../src/cli/invocation.ts'

export interface InvocationOptions {
  args?: string[]
  cwd?: string
  env?: Record<string, string>
  stdin?: string
}

export interface OpenInvocation {
  invocation: Invocation
  stdout(): string
  stderr(): string
}

export function openInvocation(options: InvocationOptions = {}): OpenInvocation {
  const { args = [], cwd = '/', env = {}, stdin = '' } = options
  const [out, err] = [keepText(), keepText()]
  return {
    invocation: {
      ...{ args, cwd, env },
      ...{ stdin: Readable.from(stdin === '' ? [] : [stdin]), stdout: out.stream, stderr: err.stream },
      // A signal can't be sent to one call alone, so a test of signals starts a process.
      listenForSignals: () => ({ signal: new AbortController().signal, code: () => null, stop() {} }),
    },
    stdout: out.text,
    stderr: err.text,
  }
}

function keepText(): { stream: OutputStream; text(): string } {
  const pieces: Buffer[] = []
  const stream = new Writable({
    write(piece: Buffer, _, done) {
      pieces.push(piece)
      done()
    },
  })
  return { stream, text: () => Buffer.concat(pieces).toString('utf8') }
}
