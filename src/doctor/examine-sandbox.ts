import { findProgram } from '../app/find-program.ts'
import { openBwrap } from '../sandbox/bwrap.ts'
import { doubtful, type Finding, fine } from './finding.ts'

/** Tries it once, as a run does before its first agent. */
export async function examineSandbox(env: NodeJS.ProcessEnv): Promise<Finding> {
  const name = 'sandbox'
  const sandbox = openBwrap({ program: findProgram('bwrap', env.PATH), needed: [] })
  const state = await sandbox.state()
  if (state.kind !== 'works') {
    const held =
      'agents run with your own rights, held by their own means alone, and no witness of an issue is run (review.proof)'
    return doubtful(name, `${state.why}; ${held}`, state.fix)
  }
  const within = (await sandbox.nests()) ? '' : ', but no other sandbox works inside it'
  const offline = await sandbox.withoutNetwork()
  if (offline.kind !== 'works') {
    const unproven = 'no witness of an issue is run (review.proof), because they must have no network'
    return doubtful(name, `${offline.why}, without a network; ${unproven}`, offline.fix)
  }
  return fine(name, `bwrap works, at ${state.by}${within}: agents write only where they work`)
}
