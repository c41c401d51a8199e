import { buffer } from 'node:stream/consumers'
import { readMinScore } from '../app/min-score.ts'
import { oneLine } from '../lib/text/printable.ts'
import { judge } from '../verdicts/channels.ts'
import { exitCodes } from './exit-codes.ts'
import { print, printJson } from './screen/print.ts'

export interface VerdictOptions {
  channel: 'auto' | 'json' | 'verdict-line' | 'marker'
  json?: boolean
}

export async function verdict(options: VerdictOptions): Promise<number> {
  const answer = (await buffer(process.stdin)).toString('utf8')
  const channels =
    options.channel === 'auto' ? (['json', 'verdict-line', 'marker'] as const) : [options.channel]
  const { minScore, instead } = await readMinScore(process.cwd())
  if (instead) process.stderr.write(`umpire: ${instead}\numpire doctor says what is wrong with it.\n`)
  const judged = judge({ answer, handedIn: [] }, [...channels], {
    minScore,
    isLeftOpen: () => false,
  })
  const readable = judged.kind === 'review'
  if (options.json) {
    printJson({
      verdict: readable ? judged.review.verdict : null,
      malformed: readable ? null : judged.why,
      issues: readable ? judged.review.issues : [],
      summary: readable ? judged.review.summary : null,
    })
  } else {
    print(readable ? judged.review.verdict : `unreadable: ${oneLine(judged.why, 400)}`)
    if (readable)
      for (const issue of judged.review.issues) print(`- ${issue.severity}: ${oneLine(issue.description)}`)
  }
  return readable ? exitCodes.done : exitCodes.unreadable
}
