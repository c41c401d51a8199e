/** Twenty tasks of two cycles each, one after the other, against a bare shell loop that makes the same agent calls. */
import { execFileSync } from 'node:child_process'
import { beside, inScratch, median, milliseconds, round2 } from './scratch.mjs'

const tasks = 20
const rounds = 3

const config = `
roles: { developer: instant, reviewer: instant }
agents: { instant: { command: [${process.execPath}, ${beside('./agent.mjs')}] } }
parallel: 1
`

export async function measureLoop() {
  const bare = []
  const ours = []
  for (let round = 0; round < rounds; round++) {
    bare.push(await inScratch(config, ({ folder }) => milliseconds(() => bareLoop(folder))))
    ours.push(
      await inScratch(config, async ({ run }) => {
        for (let task = 1; task <= tasks; task++) run('add', `Task ${task}`)
        return milliseconds(() => run('work'))
      }),
    )
  }
  const [bareMs, umpireMs] = [median(bare), median(ours)]
  return {
    name: `${tasks} tasks: time against a bare loop`,
    ratio: round2(umpireMs / bareMs),
    limit: 1.5,
    bareMs,
    umpireMs,
  }
}

function bareLoop(cwd) {
  execFileSync(
    '/bin/sh',
    [beside('./bare-loop.sh'), process.execPath, beside('./agent.mjs'), String(tasks)],
    { cwd },
  )
}
