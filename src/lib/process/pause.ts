import { setTimeout as sleep } from 'node:timers/promises'

/** A pause before looking again, where nothing reports a change. */
export async function pause(ms: number): Promise<void> {
  await sleep(ms)
}
