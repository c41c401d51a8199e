import { buffer } from 'node:stream/consumers'
import { readMinScore } from '../app/read-config.ts'
import { oneLine } from '../lib/text/printable.ts'
import { judge } from '../verdicts/channels.ts'
import { exitCodes } from './exit-codes.ts'
import type { Invocation } from './invocation.ts'
import { print, printJson } from './screen/output.ts'

export interface VerdictOptions {
  channel: 'auto' | 'json' | 'verdict-line' | 'marker'
  json?: boolean
}

export async function verdict(options: VerdictOptions, invocation: Invocation): Promise<number> {
  const answer = (await buffer(invocation.stdin)).toString('utf8')
  const channels =
    options.channel === 'auto' ? (['json', 'verdict-line', 'marker'] as const) : [options.channel]
  const { minScore, instead } = await readMinScore(invocation)
  if (instead) invocation.stderr.write(`umpire: ${instead}\numpire doctor shows what is wrong with it.\n`)
  const judged = judge({ answer, handedIn: [] }, [...channels], {
    minScore,
    isLeftOpen: () => false,
  })
  const readable = judged.kind === 'review'
  if (options.json) {
    const read = {
      verdict: readable ? judged.review.verdict : null,
      malformed: readable ? null : judged.why,
      issues: readable ? judged.review.issues : [],
      summary: readable ? judged.review.summary : null,
    }
    printJson(read, invocation)
  } else {
    print(readable ? judged.review.verdict : `unreadable: ${oneLine(judged.why, 400)}`, invocation)
    if (readable)
      for (const issue of judged.review.issues)
        print(`- ${issue.severity}: ${oneLine(issue.description)}`, invocation)
  }
  return readable ? exitCodes.done : exitCodes.unreadable
}
