/** A web server on this machine that records what is posted to it and answers as told. */
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Received {
  path: string
  method: string
  headers: IncomingHttpHeaders
  body: string
}

/** A status, a status with headers, or no answer at all. */
export type Answer = number | { status: number; headers: Record<string, string> } | 'hang'

export interface Receiver {
  url: string
  received: Received[]
  /** Forgets what came so far, and gives these answers from now on. */
  restart(...answers: Answer[]): void
  close(): Promise<void>
}

/** The first request gets the first answer, and so on. The last answer is repeated. */
export async function openReceiver(...first: Answer[]): Promise<Receiver> {
  const received: Received[] = []
  let answers = first
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text
    })
    request.on('end', () => {
      const { url: path = '', method = '', headers } = request
      const answer = answers[Math.min(received.length, answers.length - 1)] ?? 200
      received.push({ path, method, headers, body })
      if (answer === 'hang') return
      const { status, headers: more } = typeof answer === 'number' ? { status: answer, headers: {} } : answer
      response.writeHead(status, more).end('seen')
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    restart(...next) {
      received.length = 0
      answers = next
    },
    close: () =>
      new Promise((done) => {
        server.close(() => done())
        server.closeAllConnections()
      }),
  }
}
