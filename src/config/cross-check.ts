import { overlap, plainCheckoutPath } from './checkout-path.ts'
import { notifyFaults } from './notify-entry.ts'
import { defaultIdleAfterMs, defaultLimits } from './resolve-config.ts'
import type { FileConfig } from './schema.ts'
import { nearest, type Problem, problemAt } from './yaml/problem.ts'
import { closestNode, type KeyPath, nodeAt, quote, type SourceNode } from './yaml/source-tree.ts'

/**
 * Checks that need all files merged. `spoiled` are the paths of values that were already found wrong and removed, so
 * that problems that follow from them are not reported a second time.
 */
export function crossCheck(
  root: SourceNode,
  config: FileConfig,
  spoiled: KeyPath[],
  named: string[],
): Problem[] {
  const faults: Fault[] = [
    ...agentFaults(config),
    ...roleFaults(config, named),
    ...panelFaults(config, named),
    ...reviewFaults(config),
    ...idleFaults(config, root),
    ...pathFaults(config),
    ...notifyFaults(config.notify ?? []),
  ]
  return faults
    .filter(({ path, because = path }) => !isSpoiled(path, spoiled) && !isSpoiled(because, spoiled))
    .map(({ path, text }) => problemAt(root, path, text))
}

interface Fault {
  path: KeyPath
  text: string
  /** The other value that makes this one wrong. */
  because?: KeyPath
}

function isSpoiled(path: KeyPath, spoiled: KeyPath[]): boolean {
  return spoiled.some((other) => {
    const shared = Math.min(path.length, other.length)
    return path.slice(0, shared).every((step, depth) => step === other[depth])
  })
}

function* agentFaults({ agents = {} }: FileConfig): Generator<Fault> {
  for (const [name, definition] of Object.entries(agents)) {
    const path = ['agents', name]
    const fault = agentFault(definition)
    // Any wrong value inside the definition may be the cause of this fault.
    if (fault) yield { path: fault.key ? [...path, fault.key] : path, text: fault.text, because: path }
  }
}

type FileAgent = NonNullable<FileConfig['agents']>[string]

interface AgentFault {
  key?: string
  text: string
}

function agentFault(definition: FileAgent): AgentFault | null {
  const { command, agent, mode, script, prompt, tools, env, confine } = definition
  if (agent === 'acp') return acpFault(definition)
  if (mode !== undefined) return { key: 'mode', text: 'belongs to an ACP agent; add agent: acp' }
  if (command) {
    if (!agent && script === undefined) return null
    return { text: 'must be either a program (command) or the scripted agent (agent, script), not both' }
  }
  if (!agent) {
    if (script !== undefined)
      return { key: 'script', text: 'belongs to the scripted agent; add agent: scripted' }
    return { text: 'needs a command: [program, argument, …], or agent: scripted with a script' }
  }
  if (script === undefined) {
    return { text: 'the scripted agent needs a script: { agent: scripted, script: plan.yaml }' }
  }
  // The scripted agent does not read these. Accepting them would create options that do nothing.
  if (prompt) return { key: 'prompt', text: 'has no effect on the scripted agent; remove it' }
  if (tools) return { key: 'tools', text: 'has no effect on the scripted agent; remove it' }
  if (env) return { key: 'env', text: 'has no effect on the scripted agent; remove it' }
  if (confine !== undefined) return { key: 'confine', text: 'has no effect on the scripted agent; remove it' }
  return null
}

function acpFault({ command, script, prompt, tools }: FileAgent): AgentFault | null {
  if (!command) {
    const text = 'an ACP agent needs the command that starts it: { agent: acp, command: [gemini, --acp] }'
    return { text }
  }
  if (script !== undefined) return { key: 'script', text: 'has no effect on an ACP agent; remove it' }
  if (prompt) return { key: 'prompt', text: 'has no effect on an ACP agent; remove it' }
  // An ACP agent gets the session's tools through the protocol.
  if (tools) return { key: 'tools', text: 'has no effect on an ACP agent; remove it' }
  return null
}

function* roleFaults({ roles = {}, agents = {} }: FileConfig, named: string[]): Generator<Fault> {
  const known = [...Object.keys(agents), ...named]
  for (const [role, settings] of Object.entries(roles)) {
    const path = ['roles', role, 'agent']
    const name = settings?.agent
    if (name === undefined) {
      if (settings) yield { path, text: 'is missing: which agent takes this role?' }
    } else if (!known.includes(name)) {
      yield { path, text: unknownAgent(name, known), because: ['agents', name] }
    }
  }
}

function* panelFaults({ review, agents = {} }: FileConfig, named: string[]): Generator<Fault> {
  const known = [...Object.keys(agents), ...named]
  const panel = review?.panel ?? []
  for (const [place, { agent }] of panel.entries()) {
    const path = ['review', 'panel', place, 'agent']
    if (agent === undefined) yield { path, text: 'is missing: which agent takes this seat?' }
    else if (!known.includes(agent))
      yield { path, text: unknownAgent(agent, known), because: ['agents', agent] }
  }
  const by = review?.approve_by
  const seats = panel.length + 1
  if (typeof by === 'object' && by.quorum > seats) {
    const text = `${seats === 1 ? 'one reviewer' : `${seats} reviewers`} can never reach a quorum of ${by.quorum}; add reviewers to review.panel`
    yield { path: ['review', 'approve_by', 'quorum'], text, because: ['review', 'panel'] }
  }
}

function unknownAgent(name: string, own: string[]): string {
  if (name === 'scripted') {
    return 'the scripted agent needs a script: define agents: { NAME: { agent: scripted, script: plan.yaml } } and use NAME here'
  }
  if (name === 'acp') {
    return 'an ACP agent needs the command that starts it: define agents: { NAME: { agent: acp, command: [gemini, --acp] } } and use NAME here'
  }
  const meant = nearest(name, own)
  if (meant) return `there is no agent ${quote(name)}, did you mean ${meant}?`
  const others = own.length > 0 ? `, or use one of ${own.join(', ')}` : ''
  return `there is no agent ${quote(name)}; define it under agents${others}`
}

/** Channels that work with every agent. Native structured output works only with some. */
const commonChannels = ['tool', 'json', 'verdict-line', 'marker', 'parser']

function* reviewFaults({ review }: FileConfig): Generator<Fault> {
  if (review?.channels && !review.channels.some((channel) => commonChannels.includes(channel))) {
    const text = 'not every agent supports a schema, and none always follows it; add json'
    yield { path: ['review', 'channels'], text }
  }
  if (review?.context?.session_log && (review.blind ?? true)) {
    const text =
      "shows the developer's words to the reviewer, but review.blind forbids that; set review.blind: false"
    yield { path: ['review', 'context', 'session_log'], text, because: ['review', 'blind'] }
  }
}

/** If the idle limit is reached first, a developer that is done but does not exit always counts as hanging. */
function* idleFaults({ review, limits, task_types: types }: FileConfig, root: SourceNode): Generator<Fault> {
  if (review?.trigger !== 'session_idle') return
  const path = ['review', 'idle_after']
  const afterMs = review.idle_after ?? defaultIdleAfterMs
  const idles = [
    { at: ['limits', 'idle'], ms: limits?.idle ?? defaultLimits.idleMs },
    // A task that is only a review has no developer.
    ...(['implement', 'improve'] as const).map((type) => ({
      at: ['task_types', type, 'limits', 'idle'],
      ms: types?.[type]?.limits?.idle,
    })),
  ]
  const here = closestNode(root, path).node.file
  for (const { at, ms } of idles) {
    if (ms === undefined || afterMs < ms) continue
    const node = nodeAt(root, at)
    const place = node && (node.file === here ? `line ${node.line}` : `${node.file}:${node.line}`)
    const limit = place
      ? `${at.join('.')}, ${node.value} on ${place}`
      : `limits.idle, ${ms / 60_000}m by default`
    const own = nodeAt(root, path)?.value ?? `the default of ${afterMs / 60_000}m`
    const text = `${own} is not shorter than ${limit}: the developer would fail as hanging before it counts as done`
    yield { path, text, because: at }
  }
}

/** Copying to a place below a link would write into the person's own checkout. */
function* pathFaults({ worktree }: FileConfig): Generator<Fault> {
  const copies = (worktree?.copy ?? []).map(plainCheckoutPath)
  const links = (worktree?.link ?? []).map(plainCheckoutPath)
  const all = [
    ...copies.map((path, place) => ({ path, at: ['worktree', 'copy', place] })),
    ...links.map((path, place) => ({ path, at: ['worktree', 'link', place] })),
  ]
  for (const [index, one] of all.entries()) {
    const earlier = all.slice(0, index).find((other) => overlap(one.path, other.path))
    if (earlier)
      yield { path: one.at, text: `${one.path} overlaps with ${earlier.path} in worktree.${earlier.at[1]}` }
  }
}
