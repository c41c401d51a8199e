/**
 * Chooses the mode that an agent works in. Pure. Agents name their modes as they like. These are the names that known
 * agents use, in order of preference.
 */

export interface Mode {
  id: string
  name: string
}

export interface ModeChoice {
  access: 'write' | 'read'
  /** The mode that the configuration names, or null. */
  wanted: string | null
  agent: string
  modes: Mode[]
  current: string
}

/**
 * Umpire allows whatever a developer still asks for. So a mode that edits without asking, and asks for the rest, is
 * enough. It is better than a mode that asks for nothing: the user's own prohibitions and the agent's own sandbox stay
 * in force.
 */
const writing = [
  'acceptEdits',
  'yolo',
  'autoEdit',
  'workspace-write',
  'agent-full-access',
  'bypassPermissions',
]

/** Recognises modes in which an agent asks for little or nothing, by common parts of their names. */
const unasked = /yolo|bypass|accept[ _-]?edits|auto[ _-]?edit|full[ _-]?(?:access|auto)|workspace[ _-]?write/i

const reading = ['read-only', 'readonly', 'ask', 'plan']

/**
 * The `plan` mode of these agents is not read-only: it lets commands through, or the model can leave it by itself.
 * Their default mode asks before it does anything, and Umpire answers no.
 */
const leakyPlan = /claude|gemini/i

/** The mode's id, null to stay in the current one, or what is wrong. */
export function chooseMode({ access, wanted, agent, modes, current }: ModeChoice): Chosen {
  if (access === 'write' && wanted !== null) {
    const mode = modes.find(({ id }) => id === wanted) ?? modes.find(({ name }) => name === wanted)
    const known = modes.map(({ id }) => id).join(', ') || 'none'
    if (mode) return { mode: mode.id }
    return {
      fault: `The agent has no mode ${wanted}. It has: ${known}. Change mode in the agent’s definition.`,
    }
  }
  const preferred =
    access === 'write' ? writing : reading.flatMap((id) => (id === 'plan' && leakyPlan.test(agent) ? [] : id))
  const fallback = access === 'read' ? ['default'] : []
  const mode = [...preferred, ...fallback].find((id) => modes.some((known) => known.id === id))
  if (access === 'read' && mode === undefined && unasked.test(current)) {
    const others = modes.map(({ id }) => id).join(', ')
    return {
      fault: `The agent is in mode ${current}, which writes without asking, and it has no read-only mode. It has: ${others || 'no other'}. Give the role to another agent, or start this one in a mode that asks.`,
    }
  }
  return { mode: mode === current ? null : (mode ?? null) }
}

export type Chosen = { mode: string | null } | { fault: string }
