/**
 * Which of its modes an agent is to work in. Pure. Agents name their modes as they like; these are the names of those
 * that are known, in the order of preference.
 */

export interface Mode {
  id: string
  name: string
}

export interface ModeChoice {
  access: 'write' | 'read'
  /** The one that a person named; else null. */
  wanted: string | null
  agent: string
  modes: Mode[]
  current: string
}

/**
 * What a developer is asked all the same is allowed. So a mode that edits without asking and asks for the rest is
 * enough, and better than one that asks for nothing: what a person has forbidden in their own settings still holds,
 * and so does a sandbox of the agent's own.
 */
const writing = [
  'acceptEdits',
  'yolo',
  'autoEdit',
  'workspace-write',
  'agent-full-access',
  'bypassPermissions',
]

/** Modes in which an agent asks for little or nothing, by what their names have in common. */
const unasked = /yolo|bypass|accept[ _-]?edits|auto[ _-]?edit|full[ _-]?(?:access|auto)|workspace[ _-]?write/i

const reading = ['read-only', 'readonly', 'ask', 'plan']

/**
 * In these the mode called plan is no reader's: it lets commands through, or is left by the model's own wish. Their
 * default mode asks before it does anything, and is answered no.
 */
const leakyPlan = /claude|gemini/i

/** The mode's id, null to leave the current one, or what is wrong. */
export function chooseMode({ access, wanted, agent, modes, current }: ModeChoice): Chosen {
  if (access === 'write' && wanted !== null) {
    const mode = modes.find(({ id }) => id === wanted) ?? modes.find(({ name }) => name === wanted)
    const known = modes.map(({ id }) => id).join(', ') || 'none'
    if (mode) return { mode: mode.id }
    return {
      fault: `The agent has no mode ${wanted}; it has: ${known}. Change mode in the agent’s definition.`,
    }
  }
  const preferred =
    access === 'write' ? writing : reading.flatMap((id) => (id === 'plan' && leakyPlan.test(agent) ? [] : id))
  const fallback = access === 'read' ? ['default'] : []
  const mode = [...preferred, ...fallback].find((id) => modes.some((known) => known.id === id))
  if (access === 'read' && mode === undefined && unasked.test(current)) {
    const others = modes.map(({ id }) => id).join(', ')
    return {
      fault: `The agent is in its mode ${current}, in which it writes without asking, and has none in which it only reads; it has: ${others || 'no other'}. Give the role to another agent, or start this one in a mode that asks.`,
    }
  }
  return { mode: mode === current ? null : (mode ?? null) }
}

export type Chosen = { mode: string | null } | { fault: string }
