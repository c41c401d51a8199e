/** A kill and a power cut in every phase of a task. */
import { describeAgents } from './describe-agents.ts'

const phases = ['developer-1', 'gate', 'developer-2', 'reviewer-2', 'developer-3', 'reviewer-3']

describeAgents(phases, phases)
