/** Figures over all tasks, and how `umpire stats` shows them on a terminal. */
import type { Account } from '../core/schedule/budget.ts'
import { describeAccount } from '../core/schedule/out-of-budget.ts'
import type { TaskSummary } from '../core/summary.ts'
import { type TaskStatus, taskStatuses } from '../core/task.ts'
import { noPaint, type Paint } from '../lib/text/paint.ts'
import { oneLine } from '../lib/text/printable.ts'
import type { UsageRow } from '../store/archive.ts'
import { duration, knownCost, tokenCount } from './amounts.ts'

export function renderStatistics(
  statistics: Statistics,
  usage: UsageRow[],
  paint: Paint = noPaint,
  budgets: Account[] = [],
): string {
  const { tasks, byStatus, approved, approvedAtFirst, cyclesToApproval, lateFindings } = statistics
  const standing = Object.entries(byStatus).flatMap(([status, count]) =>
    count === 0 ? [] : [`${count} ${status}`],
  )
  const lines = [`${tasks} ${tasks === 1 ? 'task' : 'tasks'}: ${standing.join(', ') || 'none yet'}`]
  if (cyclesToApproval !== null) {
    const mean = cyclesToApproval.toFixed(1)
    lines.push(
      `${approved} approved, ${approvedAtFirst} of them in the first review, ${mean} reviews each on average`,
    )
  }
  if (lateFindings > 0) lines.push(`${lateFindings} late findings still open`)
  lines.push(...budgets.map(describeAccount))
  if (usage.length === 0) return lines.join('\n')
  return [...lines, '', ...table(usage, paint)].join('\n')
}

const heads = ['agent', 'model', 'role', 'sessions', 'failed', 'time', 'tokens', 'cost']

/** The first columns are words, aligned left. The rest are numbers, aligned right. */
const words = 3

function table(usage: UsageRow[], paint: Paint): string[] {
  const rows = [...usage.map(cells), ...(usage.length > 1 ? [cells(allOf(usage))] : [])]
  const widths = heads.map((head, column) =>
    Math.max(head.length, ...rows.map((row) => row[column]?.length ?? 0)),
  )
  const line = (row: string[]) =>
    row
      .map((cell, column) =>
        column < words ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd()
  return [paint.bold(line(heads)), ...rows.map(line)]
}

function cells({
  agent,
  model,
  role,
  sessions,
  failed,
  durationMs,
  tokens,
  costUsd,
  withoutCost,
}: Row): string[] {
  return [
    oneLine(agent, 30),
    oneLine(model ?? '', 40),
    role,
    String(sessions),
    String(failed),
    duration(durationMs),
    tokens === null ? '' : tokenCount(tokens),
    costUsd === null ? '' : knownCost(costUsd, withoutCost),
  ]
}

type Row = Omit<UsageRow, 'role'> & { role: string }

/** A sum is unknown only if all of its parts are unknown. */
function allOf(usage: UsageRow[]): Row {
  const sum = (key: 'sessions' | 'failed' | 'durationMs' | 'withoutCost') =>
    usage.reduce((all, row) => all + row[key], 0)
  const known = (key: 'costUsd' | 'tokens') => {
    const told = usage.flatMap((row) => row[key] ?? [])
    return told.length === 0 ? null : told.reduce((all, each) => all + each, 0)
  }
  return {
    ...{ agent: 'all', model: null, role: '' },
    ...{ sessions: sum('sessions'), failed: sum('failed'), durationMs: sum('durationMs') },
    ...{ costUsd: known('costUsd'), tokens: known('tokens'), withoutCost: sum('withoutCost') },
  }
}

/** How all tasks ended, and how often the first review approved. */
interface Statistics {
  tasks: number
  byStatus: Record<TaskStatus, number>
  /** Approved by a reviewer or by a person. */
  approved: number
  /** The approved tasks whose first review approved. */
  approvedAtFirst: number
  /** The average number of reviews per approved task, or null if no task is approved. */
  cyclesToApproval: number | null
  lateFindings: number
}

export function statisticsOf(tasks: TaskSummary[]): Statistics {
  const count = (isMeant: (task: TaskSummary) => boolean) => tasks.filter(isMeant).length
  const approved = tasks.filter((task) => task.verdict === 'APPROVED')
  const cycles = approved.reduce((all, task) => all + task.cycle, 0)
  const perStatus = taskStatuses.map((status) => [status, count((task) => task.status === status)])
  return {
    tasks: tasks.length,
    byStatus: Object.fromEntries(perStatus) as Record<TaskStatus, number>,
    approved: approved.length,
    approvedAtFirst: approved.filter((task) => task.cycle === 1).length,
    cyclesToApproval: approved.length === 0 ? null : cycles / approved.length,
    lateFindings: tasks.reduce((all, task) => all + task.lateFindings, 0),
  }
}
