/** Checks a history and its git repository against all rules. */
import { checkApprovals } from './approvals.mjs'
import { checkBeside } from './beside.mjs'
import { checkBudget } from './budget.mjs'
import { checkByHand } from './by-hand.mjs'
import { checkCarried } from './carried.mjs'
import { checkCommits } from './commits.mjs'
import { checkHolds } from './holds.mjs'
import { checkInherited } from './inherited.mjs'
import { checkIssues } from './issues.mjs'
import { checkLanded, checkLandings } from './landings.mjs'
import { checkLimits } from './limits.mjs'
import { checkMessages } from './messages.mjs'
import { checkOrder } from './order.mjs'
import { checkProjections } from './projections.mjs'
import { checkMerged, checkResolving } from './resolving.mjs'
import { checkReviews } from './reviews.mjs'
import { checkBeginnings, checkSchedule } from './schedule.mjs'
import { checkStops } from './stops.mjs'
import { violation } from './violation.mjs'

const rules = {
  order: ({ events }) => checkOrder(events),
  holds: ({ streams }) => checkHolds(streams),
  schedule: ({ events }) => checkSchedule(events),
  reviews: ({ tasks }) => eachTask(tasks, checkReviews),
  beside: ({ tasks }) => eachTask(tasks, checkBeside),
  approvals: ({ tasks }) => eachTask(tasks, checkApprovals),
  limits: ({ tasks }) => eachTask(tasks, checkLimits),
  issues: ({ tasks }) => eachTask(tasks, checkIssues),
  stops: ({ tasks }) => eachTask(tasks, checkStops),
  budget: ({ events }) => checkBudget(events),
  'by-hand': ({ tasks }) => eachTask(tasks, checkByHand),
  landings: ({ tasks }) => eachTask(tasks, checkLandings),
  resolving: ({ tasks }) => eachTask(tasks, checkResolving),
  inherited: ({ tasks }) => eachTask(tasks, (events) => checkInherited(events, tasks)),
  projections: (history) => checkProjections(history),
  messages: ({ tasks, messages }) => checkMessages(tasks, messages),
}

const rulesOfGit = {
  commits: ({ tasks }, git) => eachTask(tasks, (events) => checkCommits(events, git)),
  carried: ({ events }, git) => checkCarried(events, git),
  landings: ({ tasks }, git) => eachTask(tasks, (events) => checkLanded(events, git)),
  resolving: ({ tasks }, git) => eachTask(tasks, (events) => checkMerged(events, git)),
  schedule: ({ events }, git) => checkBeginnings(events, git),
}

/** Work may continue during the check. If a task's history changes meanwhile, git's answers about it prove nothing. */
export function findViolations(history, git) {
  const found = Object.entries(rules).flatMap(([rule, check]) => collect(rule, check(history)))
  git.fetch(
    history.events.flatMap(({ data }) => [data.sha, data.commit, data.place?.baseCommit, data.place?.start]),
  )
  const inGit = Object.entries(rulesOfGit).flatMap(([rule, check]) => collect(rule, check(history, git)))
  const now = history.versionsNow()
  const settled = ({ stream }) => now.get(stream) === history.streams.get(stream)?.at(-1)?.version
  return [...found, ...inGit.filter(settled)]
}

/** A history that is damaged in an unforeseen way must neither stop the check nor pass it. */
function* eachTask(tasks, check) {
  for (const events of tasks.values()) {
    try {
      yield* check(events)
    } catch (error) {
      yield violation(events[0], `the history can't be followed (${error.message})`)
    }
  }
}

function collect(rule, violations) {
  const found = []
  try {
    for (const each of violations) found.push({ rule, ...each })
  } catch (error) {
    found.push({ rule, ...violation({ stream: 'all' }, `this can't be looked at (${error.message})`) })
  }
  return found
}
