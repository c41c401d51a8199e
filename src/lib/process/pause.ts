import { setTimeout as sleep } from 'node:timers/promises'

/** For who has to look again and is told by nobody when. */
export async function pause(ms: number): Promise<void> {
  await sleep(ms)
}
