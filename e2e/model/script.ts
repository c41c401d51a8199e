/**
 * What the model does, by role and session. A session is known by its prompt, and how far it is by the turns that came
 * after the prompt, so an agent may retry, resume or drop a request as it likes. Only refusals are counted, because they
 * leave no trace in a conversation.
 */
import { type JsonRecord, recordIn, recordsIn, textIn } from '../../src/agents/json-line.ts'
import type { Answer, Call, Conversation, Wire } from './wire.ts'

export type Step =
  /** By the tool that the agent has for it. */
  | { write: string; content: string }
  | { shell: string }
  /** The first tool offered whose name fits; one that is not offered is called by the words themselves. */
  | { tool: string; input: Call['input'] }
  | { text: string }
  /** The answer by a schema: by the tool for it, or as text. */
  | { json: Record<string, unknown> }
  /** So many times, then it goes on; for ever when left out. */
  | { refuse: number; times?: number; retryAfter?: number }
  /** The stream ends in the middle, so many times. */
  | { breakOff: number }
  /** The request waits until the test releases it, and then gets the next step. */
  | { hold: string }

/** The how manieth session of its role plays which steps. */
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
  /** From 0, by role. */
  session: number
  prompt: string
  /** The results that the model was given in this session, in order. */
  results: string[]
}

/** Umpire's prompts say whom they are for in their first line. */
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

  /** Whose session a request belongs to; null for what an agent asks beside its work, like a title. */
  recognise({ turns, tools }: Conversation): (Scripted & { done: number }) | null {
    // A title is asked for with the whole prompt, too, but without any tools.
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
 * What agents ask beside their work: for a title, which model to take, whether a command is harmless. Whether a command
 * may run is always answered with yes: confinement must not hang on a model's opinion.
 */
export function sideAnswer({ system, schema }: Conversation): Answer {
  if (schema !== null) return { text: JSON.stringify(instanceOf(schema)) }
  return { text: /security monitor/i.test(system) ? '<block>no</block>' : 'Scripted' }
}

/** The smallest thing that conforms. */
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
