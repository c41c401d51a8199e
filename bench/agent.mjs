/** An agent that needs no time of its own: the developer appends a line, the reviewer rejects once and then approves. */
import { appendFileSync } from 'node:fs'

if (process.env.UMPIRE_ROLE === 'developer') appendFileSync('work.txt', `cycle ${process.env.UMPIRE_CYCLE}\n`)
else if (process.env.UMPIRE_CYCLE === '1')
  console.log('One more line, please.\n\n**Verdict: CHANGES_REQUESTED**')
else console.log('**Verdict: APPROVED**')
