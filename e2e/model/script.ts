/**
 * What the model does, by role and session. The prompt identifies a session, and the turns after the prompt show how
 * far it is. So an agent may retry, resume or drop a request as it likes. Only refusals and broken streams are counted,
 * because they leave no trace in a conversation.
 */
import { type JsonRecord, recordIn, recordsIn, textIn } from '../../src/agents/json-line.ts'
import type { Answer, Call, Conversation, Wire } from './wire.ts'

export type Step =
  /** Uses the tool that the agent has for it. */
  | { write: string; content: string }
  | { shell: string }
  /** Calls the first offered tool whose name matches. If none does, the pattern itself is the name in the call. */
  | { tool: string; input: Call['input'] }
  | { text: string }
  /** Answers according to a schema, with the tool for that or as text. */
  | { json: Record<string, unknown> }
  /** Refuses `times` times and then continues; without `times` it refuses forever. */
  | { refuse: number; times?: number; retryAfter?: number }
  /** Ends the stream in the middle, this many times. */
  | { breakOff: number }
  /** The request waits until the test releases it, and then gets the next step. */
  | { hold: string }

/** The steps of each session, by role, in the order of the sessions. */
export interface Script {
  developer: Step[][]
  reviewer: Step[][]
}

export type Role = keyof Script

export type Move =
  | { kind: 'answer'; answer: Answer }
  | { kind: 'refuse'; status: number; retryAfter: number | undefined }
  | { kind: 'break' }
  | { kind: 'hold'; name: string }

export interface Scripted {
  role: Role
  /** Counted from 0 for each role. */
  session: number
  prompt: string
  /** The results that the model was given in this session, in order. */
  results: string[]
}

/** The first line of Umpire's prompts names the role. */
const firstLine = /^# You are the (developer|reviewer)$/m

export class Director {
  readonly #prompts: Record<Role, string[]> = { developer: [], reviewer: [] }
  readonly #counts = new Map<string, number>()
  /** Holds that were released. */
  readonly released = new Set<string>()
  readonly script: Script

  constructor(script: Script) {
    this.script = script
  }

  /** The session that a request belongs to; null for side requests, such as for a title. */
  recognise({ turns, tools }: Conversation): (Scripted & { done: number }) | null {
    // A request for a title also has the whole prompt, but no tools.
    if (tools.length === 0) return null
    const at = turns.findLastIndex((turn) => turn.who === 'user' && firstLine.test(turn.text))
    const turn = turns[at]
    if (turn?.who !== 'user') return null
    const found = firstLine.exec(turn.text)
    const role: Role = found?.[1] === 'reviewer' ? 'reviewer' : 'developer'
    const prompt = turn.text.slice(found?.index)
    const known = this.#prompts[role]
    if (!known.includes(prompt)) known.push(prompt)
    const after = turns.slice(at + 1)
    return {
      role,
      session: known.indexOf(prompt),
      prompt,
      done: after.filter(({ who }) => who === 'model').length,
      results: after.flatMap((each) => (each.who === 'tool' ? [each.result] : [])),
    }
  }

  next(scripted: Scripted & { done: number }, conversation: Conversation, wire: Wire): Move {
    const { role, session } = scripted
    let ahead = scripted.done
    for (const [index, step] of (this.script[role][session] ?? []).entries()) {
      const key = `${role} ${session} ${index}`
      if ('hold' in step) {
        if (ahead === 0 && !this.released.has(step.hold)) return { kind: 'hold', name: step.hold }
      } else if ('refuse' in step) {
        if (ahead === 0 && this.#counted(key, step.times ?? Number.POSITIVE_INFINITY))
          return { kind: 'refuse', status: step.refuse, retryAfter: step.retryAfter }
      } else if ('breakOff' in step) {
        if (ahead === 0 && this.#counted(key, step.breakOff)) return { kind: 'break' }
      } else if (ahead-- === 0) {
        return { kind: 'answer', answer: answerOf(step, conversation, wire) }
      }
    }
    return { kind: 'answer', answer: { text: 'That is all.' } }
  }

  #counted(key: string, times: number): boolean {
    const count = this.#counts.get(key) ?? 0
    this.#counts.set(key, count + 1)
    return count < times
  }
}

type Spoken = Exclude<Step, { refuse: number } | { breakOff: number } | { hold: string }>

function answerOf(step: Spoken, { tools }: Conversation, wire: Wire): Answer {
  if ('write' in step) return wire.writing(step.write, step.content, tools)
  if ('shell' in step) return wire.running(step.shell, tools)
  if ('tool' in step) {
    const fits = new RegExp(step.tool)
    return { tool: tools.find((name) => fits.test(name)) ?? step.tool, input: step.input }
  }
  if ('json' in step) {
    const tool = tools.find((name) => name === 'StructuredOutput')
    return tool === undefined ? { text: JSON.stringify(step.json) } : { tool, input: step.json }
  }
  return step
}

/**
 * Answers side requests of agents: for a title, which model to use, whether a command is harmless. The model always
 * lets a command run, because confinement must not depend on a model's opinion.
 */
export function sideAnswer({ system, schema }: Conversation): Answer {
  if (schema !== null) return { text: JSON.stringify(instanceOf(schema)) }
  return { text: /security monitor/i.test(system) ? '<block>no</block>' : 'Scripted' }
}

/** The smallest value that conforms to the schema. */
function instanceOf(schema: JsonRecord): unknown {
  const [first] = recordsIn(schema.enum).length > 0 ? [] : Array.isArray(schema.enum) ? schema.enum : []
  if (first !== undefined) return first
  switch (textIn(schema.type).toLowerCase()) {
    case 'array':
      return []
    case 'integer':
    case 'number':
      return 10
    case 'boolean':
      return false
    case 'string':
      return 'scripted'
    default:
      return Object.fromEntries(
        Object.entries(recordIn(schema.properties)).map(([key, value]) => [key, instanceOf(recordIn(value))]),
      )
  }
}
