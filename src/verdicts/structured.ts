import type { Channel, ChannelName } from './channel.ts'
import { readStrictReview } from './submitted.ts'

/**
 * The answer of an agent that had to follow the review's JSON Schema. The rules are the same as for a hand-in, strict JSON
 * and one object, except that null means "does not apply": a schema that requires every key leaves no other way.
 */
export const structured: Channel<ChannelName> = {
  name: 'structured',
  instruction: `Your final answer is one JSON object by the schema that you were given, with your verdict, your summary and all issues in it.`,
  read: ({ structured: answer }) => (answer ? readStrictReview(answer, 'left out') : { kind: 'silent' }),
}
