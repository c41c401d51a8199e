/**
 * Implements each tool. The server itself runs nothing and writes only into the attempt's folder, because it may be
 * confined there with its agent. The code of `umpire submit` checks what the tools accept. The Umpire process that
 * attends the session does what the tools ask for.
 */
import { join } from 'node:path'
import { sessionsAround } from '../app/refuse-in-session.ts'
import { type Bearer, type Recognised, recognise, refused, takeHandIn } from '../app/take-hand-in.ts'
import { ask, awaitAnswer, readRequests } from '../attempts/requests.ts'
import { loopName } from '../core/loop.ts'
import { mostGateRequests, mostProgressReports } from '../core/policy/fixed-limits.ts'
import {
  type AskedGate,
  type GateAnswer,
  noSuchGate,
  parseToolRequest,
  type ToolRequest,
} from '../core/session/tool-request.ts'
import { withoutNulls } from '../verdicts/shape/review-schema.ts'
import { type SessionTool, sessionTools } from '../verdicts/tool-names.ts'
import type { SessionBrief } from './session-brief.ts'

type Arguments = Record<string, unknown>

export async function callTool(
  name: string,
  given: Arguments,
  brief: SessionBrief,
  signal: AbortSignal,
): Promise<ToolAnswer> {
  const tool = sessionTools.find((known) => known === name)
  if (!tool)
    return refuse({
      why: `There is no tool ${JSON.stringify(name)}.`,
      fix: `The tools are ${sessionTools.join(', ')}.`,
    })
  const { home, session, token, role, task } = brief
  const around = sessionsAround(process.env).filter((other) => other !== session)
  const bearer: Bearer = { session, token, role, task, around, by: tool }
  // Look up the session at every call, because it may have ended since the last one.
  const found = await recognise(bearer, home)
  if (found.kind === 'refused') return refuse(found)
  const args: Arguments = Object(withoutNulls(given))
  const call = { tool, args, bearer, found, home }
  const problem = foreignId(call) ?? wrongRole(call)
  if (problem) return refuse(await refused(bearer, home, problem.why, `${problem.fix} Nothing was accepted.`))
  return perform(call, signal)
}

interface Call {
  tool: SessionTool
  args: Arguments
  bearer: Bearer
  found: Recognised
  home: string
}

async function perform(call: Call, signal: AbortSignal): Promise<ToolAnswer> {
  const { args } = call
  switch (call.tool) {
    case 'set_loop_review_result': {
      const { loopId: _, taskId: __, ...review } = args
      return handIn(call, review, 'Your review was accepted. There is nothing more to do. End your turn.')
    }
    case 'complete_task':
      return handIn(call, { complete: true }, 'Noted: the task is complete. End your turn.')
    case 'fail_task':
      if (!isText(args.reason)) return refuse(missing('reason'))
      return handIn(call, { fail: args.reason }, 'Noted: a person will be asked. End your turn.')
    case 'report_progress':
      return reportProgress(call)
    case 'run_gate':
      return runGate(call, signal)
    case 'set_review_result':
      throw new Error('no session of this version offers this tool')
  }
}

async function handIn({ bearer, found, home }: Call, body: object, taken: string): Promise<ToolAnswer> {
  const refusal = await takeHandIn(bearer, found, JSON.stringify(body), home)
  return refusal ? refuse(refusal) : { kind: 'done', text: taken }
}

async function reportProgress(call: Call): Promise<ToolAnswer> {
  const { message } = call.args
  if (!isText(message)) return refuse(missing('message'))
  if ((await countAsked(call, 'progress')) >= mostProgressReports)
    return refuse({ why: 'You have reached the limit of progress reports.', fix: 'Continue without them.' })
  if ((await put(call, { ask: 'progress', message })) === null) return refuse(askedTooOften)
  return { kind: 'done', text: 'Noted.' }
}

async function runGate(call: Call, signal: AbortSignal): Promise<ToolAnswer> {
  const { args, bearer, home, found } = call
  const { name = null } = args
  if (name !== null && !isText(name))
    return refuse({ why: '"name" must be the name of a gate.', fix: 'Leave it out for all gates.' })
  // If the task could not be looked up, the attending Umpire process answers with the gates there are.
  const gates = found.loop && (found.loop.policy?.gates ?? [])
  if (gates?.length === 0) return refuse({ why: noSuchGate(name, gates), fix: 'Continue without.' })
  if (gates && name !== null && !gates.some((gate) => gate.name === name))
    return refuse({
      why: noSuchGate(name, gates),
      fix: 'Name one of them, or leave out the name to run all.',
    })
  if ((await countAsked(call, 'gate')) >= mostGateRequests)
    return refuse({
      why: `A session can run gates at most ${mostGateRequests} times.`,
      fix: 'Continue without.',
    })
  const number = await put(call, { ask: 'gate', name })
  if (number === null) return refuse(askedTooOften)
  return awaitGates(join(home, 'attempts'), bearer.session, number, signal)
}

const askedTooOften: Problem = {
  why: 'This session has reached its limit of requests.',
  fix: 'Continue without.',
}

function put({ bearer: { session, token }, home }: Call, request: ToolRequest): Promise<number | null> {
  return ask(join(home, 'attempts'), session, { token, body: JSON.stringify(request) })
}

async function countAsked({ bearer, home }: Call, kind: ToolRequest['ask']): Promise<number> {
  const asked = await readRequests(join(home, 'attempts'), bearer.session)
  return asked.filter(({ body }) => parseToolRequest(body)?.ask === kind).length
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== ''
}

interface Problem {
  why: string
  fix: string
}

function missing(key: string): Problem {
  return {
    why: `"${key}" must be a non-empty text.`,
    fix: 'Call the tool again with it. Nothing was accepted.',
  }
}

/** A loop can be given by its name or by its task's number. */
function foreignId({ args: { loopId, taskId }, found }: Call): Problem | null {
  const { task } = found
  const own = String(task)
  const fix = 'Leave loopId and taskId out.'
  if (taskId !== undefined && String(taskId) !== own)
    return { why: `This session belongs to task ${own}, not to task ${JSON.stringify(taskId)}.`, fix }
  if (loopId !== undefined && ![own, loopName(task)].includes(String(loopId)))
    return {
      why: `This session belongs to loop ${loopName(task)}, not to loop ${JSON.stringify(loopId)}.`,
      fix,
    }
  return null
}

function wrongRole({ tool, found: { role } }: Call): Problem | null {
  const why = `This is a ${role}'s session.`
  switch (tool) {
    case 'set_loop_review_result':
      if (role === 'reviewer') return null
      return {
        why,
        fix: 'Only a reviewer submits a review. A developer calls complete_task when its task is done.',
      }
    case 'set_review_result':
      if (role !== 'reviewer') return { why, fix: 'The tool is for reviews of plans and specs.' }
      return { why: 'This is a review of a task’s work.', fix: 'Call set_loop_review_result.' }
    case 'complete_task':
    case 'fail_task':
      if (role === 'developer') return null
      return { why, fix: 'Only a developer calls this tool. Submit a review with set_loop_review_result.' }
    case 'report_progress':
    case 'run_gate':
      return role === 'developer' || role === 'reviewer' ? null : { why, fix: 'Answer without this tool.' }
  }
}

/** The answer to the agent: how it went, or what is wrong and how to fix it. */
export type ToolAnswer = { kind: 'done' | 'refused'; text: string }

function refuse({ why, fix }: { why: string; fix: string }): ToolAnswer {
  return { kind: 'refused', text: `${why} ${fix}` }
}

/** Waits until the attending Umpire process has run the gates, and turns the result into text. */
async function awaitGates(
  attempts: string,
  session: string,
  number: number,
  signal: AbortSignal,
): Promise<ToolAnswer> {
  const text = await awaitAnswer(attempts, session, number, signal)
  if (text === null) return { kind: 'refused', text: 'The session ended before the gate finished.' }
  const answer: GateAnswer = JSON.parse(text)
  if (answer.kind === 'refused') return { kind: 'refused', text: answer.why }
  return { kind: 'done', text: answer.gates.map(told).join('\n\n') }
}

function told({ name, passed, exitCode, timedOut, output }: AskedGate): string {
  const how = timedOut ? 'ran out of time' : `${passed ? 'passed' : 'failed'} (exit code ${exitCode})`
  const words = output.trim() === '' ? 'It printed nothing.' : `Its output:\n${output.trimEnd()}`
  return `Gate ${JSON.stringify(name)} ${how}. ${words}`
}
