/** The agents that need no definition: naming them is enough. In the order in which one is chosen when none is named. */
import type { Agent } from './agent.ts'
import { claude } from './claude.ts'
import { codex } from './codex.ts'
import { gemini } from './gemini.ts'
import { opencode } from './opencode.ts'

export const builtInAgents: readonly Agent[] = [claude, codex, gemini, opencode]
