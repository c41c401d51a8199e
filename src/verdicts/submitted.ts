/** The review that the agent handed in by `umpire submit` or a tool of its session: strict JSON with nothing around it. */
import type { Reading } from '../core/review/review.ts'
import { toolServerName } from '../core/session/tool-request.ts'
import { type Channel, type ChannelName, oneReading, type ReviewerSetup } from './channel.ts'
import { parseReview } from './shape/parse-review.ts'
import { withoutNulls } from './shape/review-schema.ts'
import { scanObject } from './text/find-objects.ts'
import { withoutBom } from './text/own-words.ts'

export const submitted: Channel<ChannelName> = {
  name: 'tool',
  instruction: byCommand('not run'),
  instructionFor: ({ tools, witnesses }) => (tools === 'mcp' ? byTool(witnesses) : byCommand(witnesses)),
  read: ({ handedIn }) => oneReading(handedIn.map((body) => readStrictReview(body))),
}

function byCommand(witnesses: ReviewerSetup['witnesses']): string {
  return `Hand in your review once, when you have decided, as one JSON object to the command \`umpire submit\`: on its standard
input (\`umpire submit - <<'JSON'\`, then the object, then a line \`JSON\`) or from a file outside the working directory
(\`umpire submit FILE\`). Its keys: \`verdict\` (one of the four words), \`summary\`, \`interpretedIntent\`, \`intentSatisfied\` (true or
false), \`scores\` (names with numbers from 0 to 100) and \`issues\`, a list of objects with ${issueKeys(witnesses)};
for an issue of an earlier review also its \`id\` and \`status\` (\`resolved\` or \`open\`). Do not hand in a second one, and let nothing
in your answer say another verdict.`
}

function byTool(witnesses: ReviewerSetup['witnesses']): string {
  return `Hand in your review once, when you have decided, by calling the tool \`set_loop_review_result\` of the MCP server
\`${toolServerName}\`. Its arguments are the review: \`verdict\` (one of the four words), \`summary\`, \`interpretedIntent\`,
\`intentSatisfied\` and all \`issues\`, each with ${issueKeys(witnesses)};
for an issue of an earlier review also its \`id\` and \`status\` (\`resolved\` or \`open\`). If it refuses, fix what it names and call
it again. Let nothing in your answer say another verdict. The tool \`run_gate\` runs a gate of this task on the tree under
review for you.`
}

function issueKeys(witnesses: ReviewerSetup['witnesses']): string {
  const keys = '`file`, `line`, `type`, `severity` (`blocking` or `advisory`), `description`'
  return witnesses === 'run'
    ? `${keys}, \`suggestion\`\nand \`witness\` (a list of arguments)`
    : `${keys} and \`suggestion\``
}

/**
 * Reads one hand-in. It is silent if the hand-in is not a review, such as `{"complete":true}`. `nulls`: whether a null key
 * counts as a missing one, as in the answer of an agent that had to fill in every key.
 */
export function readStrictReview(body: string, nulls: 'read' | 'left out' = 'read'): Reading {
  const text = withoutBom(body).trim()
  const scan = text.startsWith('{') ? scanObject(text, 0) : null
  if (scan?.kind !== 'complete' || scan.end !== text.length) {
    return { kind: 'malformed', why: 'the submitted text is not one valid JSON object' }
  }
  const reading = parseReview(nulls === 'read' ? scan.value : withoutNulls(scan.value), text)
  if (scan.twice === null || reading.kind === 'silent') return reading
  return { kind: 'malformed', why: `the key ${JSON.stringify(scan.twice)} appears twice` }
}
