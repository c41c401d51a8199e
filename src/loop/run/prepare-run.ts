/**
 * What a run begins with, once, before it takes its first task: it notices what people have merged with their own git,
 * frees what was parked for want of money, and applies the schedule. `umpire work` does it before it says anything about
 * the tasks, and hands the result on to the run.
 */
import type { Asked } from '../../core/asked.ts'
import type { Ports } from '../ports.ts'
import { type AppliedSchedule, applySchedule } from './apply-schedule.ts'
import { freeParked } from './free-parked.ts'
import { noticeLanded } from './notice-landed.ts'

export interface PreparedRun extends Asked {
  schedule: AppliedSchedule
}

/** The tasks are listed last, as they stand after it. */
export async function prepareRun(only: number[] | null, ports: Ports): Promise<PreparedRun> {
  const standings = await ports.archive.standings()
  const landed = await noticeLanded(standings, ports)
  const freed = await freeParked({ only, run: null }, standings, ports)
  const schedule = await applySchedule(ports, landed.length + freed.length === 0 ? standings : null)
  return { only, tasks: await ports.archive.tasks(), schedule }
}
