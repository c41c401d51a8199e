/**
 * The expected meaning of an agent's recorded lines, from the `expected.json` next to them. Besides the adapter, this
 * is all that the contract suite needs of an agent.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Agent } from '../../src/agents/agent.ts'
import type { AgentUnderTest, Answering, Failing } from '../contract/agents.ts'
import { recordedLines } from './lines.ts'

const folder = join(import.meta.dirname, '../fixtures/agent-lines')

interface Expected {
  /** `lines` is the name of a recording. */
  answering: Omit<Answering, 'lines'> & { lines: string }
  /** Keyed by the name of the recording. A failure known only from how the process ended may have none. */
  failing: Record<string, Pick<Failing, 'class' | 'end'>>
}

export function recordedBy(agent: Agent, name = agent.name): AgentUnderTest {
  const file = join(folder, name, 'expected.json')
  if (!existsSync(file)) throw new Error(`${name} has no recorded lines: write ${file}`)
  const { answering, failing }: Expected = JSON.parse(readFileSync(file, 'utf8'))
  const linesOf = (recording: string) =>
    existsSync(join(folder, name, `${recording}.jsonl`)) ? recordedLines(name, recording) : []
  return {
    agent,
    answering: { ...answering, lines: recordedLines(name, answering.lines) },
    failing: Object.entries(failing).map(([each, failure]) => ({
      name: each,
      lines: linesOf(each),
      ...failure,
    })),
  }
}
