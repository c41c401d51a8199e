/**
 * Prepares a run once, before its first task: notices work that people have merged with their own git, frees tasks that
 * were parked for lack of budget, and applies the schedule. `umpire work` does this before it prints anything about the
 * tasks, and passes the result to the run.
 */
import type { Asked } from '../../core/asked.ts'
import type { Ports } from '../ports.ts'
import { type AppliedSchedule, applySchedule } from './apply-schedule.ts'
import { freeParked } from './free-parked.ts'
import { noticeLanded } from './notice-landed.ts'

export interface PreparedRun extends Asked {
  schedule: AppliedSchedule
}

/** The tasks are listed last, so the list shows their state after the preparation. */
export async function prepareRun(only: number[] | null, ports: Ports): Promise<PreparedRun> {
  const standings = await ports.archive.standings()
  const landed = await noticeLanded(standings, ports)
  const freed = await freeParked({ only, run: null }, standings, ports)
  const schedule = await applySchedule(ports, landed.length + freed.length === 0 ? standings : null)
  return { only, tasks: await ports.archive.tasks(), schedule }
}
