/**
 * The agents that need no definition. If the configuration names none, one is chosen in this order.
 */
import type { Agent } from './agent.ts'
import { claude } from './claude.ts'
import { codex } from './codex.ts'
import { gemini } from './gemini.ts'
import { opencode } from './opencode.ts'

export const builtInAgents: readonly Agent[] = [claude, codex, gemini, opencode]
