/** The scripted model: an HTTP server on loopback that speaks the APIs of all the agents. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { parseJsonLine } from '../../src/agents/json-line.ts'
import { anthropic } from './anthropic.ts'
import { chat } from './chat.ts'
import { gemini } from './gemini.ts'
import { responses } from './responses.ts'
import { Director, type Role, type Script, type Scripted, sideAnswer } from './script.ts'
import type { Answer, Ask, Json, Wire } from './wire.ts'

const wires = [anthropic, responses, chat, gemini]

export interface Model {
  readonly port: number
  /** Tests may change it at any time. */
  readonly script: Script
  /** The requests that belonged to a session, in order. */
  readonly heard: Heard[]
  /** Resolves when a request waits at a hold of this name. */
  reached(hold: string): Promise<void>
  release(hold: string): void
  close(): Promise<void>
}

export interface Heard extends Scripted {
  /** How many of Umpire's prompts the request contains, including those of earlier sessions. */
  prompts: number
  tools: string[]
  answered: string
}

export async function openModel(script: Script): Promise<Model> {
  const director = new Director(script)
  const heard: Heard[] = []
  const waiting = new Map<string, { reached: () => void; arrival: Promise<void>; queue: (() => void)[] }>()
  let count = 0

  const hold = (name: string) => {
    const known = waiting.get(name)
    if (known) return known
    let reached = () => {}
    const arrival = new Promise<void>((done) => {
      reached = done
    })
    const fresh = { reached, arrival, queue: [] }
    waiting.set(name, fresh)
    return fresh
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '').split('?')[0] ?? ''
    const body = parseJsonLine(await readBody(request)) ?? {}
    const found = wires
      .map((wire) => ({ wire, model: wire.modelIn(path, body) }))
      .find(({ model }) => model !== null)
    if (!found || request.method !== 'POST') return sideRoute(path, response)
    const { wire } = found
    const conversation = wire.read(body)
    const ask: Ask = { id: `${process.pid}_${++count}`, model: found.model ?? '', conversation }
    const isStreamed = body.stream === true || path.endsWith(':streamGenerateContent')
    const scripted = director.recognise(conversation)
    if (!scripted) return send(response, wire, sideAnswer(conversation), ask, isStreamed)

    const note = (answered: string) => {
      const prompts = conversation.turns.filter(
        (turn) => turn.who === 'user' && turn.text.includes('# You are the '),
      ).length
      heard.push({ ...scripted, prompts, tools: conversation.tools, answered })
    }
    for (;;) {
      const move = director.next(scripted, conversation, wire)
      switch (move.kind) {
        case 'hold': {
          const held = hold(move.name)
          const freed = new Promise<void>((done) => held.queue.push(done))
          held.reached()
          await freed
          continue
        }
        case 'refuse': {
          note(`refused with ${move.status}`)
          const headers = move.retryAfter === undefined ? {} : { 'retry-after': String(move.retryAfter) }
          response.writeHead(move.status, { 'content-type': 'application/json', ...headers })
          response.end(JSON.stringify(wire.refusal(move.status)))
          return
        }
        case 'break': {
          note('broken off')
          response.writeHead(200, { 'content-type': 'text/event-stream' })
          response.write(wire.stream({ text: 'This breaks off.' }, ask).slice(0, 2).join(''), () =>
            response.destroy(),
          )
          return
        }
        case 'answer':
          note('tool' in move.answer ? move.answer.tool : move.answer.text)
          return send(response, wire, move.answer, ask, isStreamed)
      }
    }
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      response.destroy(error instanceof Error ? error : undefined)
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the model has no port')
  return {
    port: address.port,
    script,
    heard,
    reached: (name) => hold(name).arrival,
    release(name) {
      director.released.add(name)
      for (const done of hold(name).queue.splice(0)) done()
    },
    close: () =>
      new Promise((done) => {
        server.close(() => done())
        server.closeAllConnections()
      }),
  }
}

/** The requests of one session. */
export function ofSession({ heard }: Model, role: Role, session: number): Heard[] {
  return heard.filter((each) => each.role === role && each.session === session)
}

function send(response: ServerResponse, wire: Wire, answer: Answer, ask: Ask, isStreamed: boolean): void {
  const type = isStreamed ? 'text/event-stream' : 'application/json'
  response.writeHead(200, { 'content-type': type, 'request-id': ask.id, 'x-request-id': ask.id })
  response.end(isStreamed ? wire.stream(answer, ask).join('') : JSON.stringify(wire.whole(answer, ask)))
}

/** Answers greetings and requests for counts and lists, which some agents send and none depends on. */
function sideRoute(path: string, response: ServerResponse): void {
  const known: [RegExp, Json][] = [
    [/count_tokens$/, { input_tokens: 100 }],
    [/:countTokens$/, { totalTokens: 100 }],
    [/\/models$/, { object: 'list', data: [], models: [], has_more: false }],
  ]
  const body = known.find(([route]) => route.test(path))?.[1]
  response.writeHead(body ? 200 : 404, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body ?? { error: { message: 'The scripted model has no such route.' } }))
}

async function readBody(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) text += chunk
  return text
}
