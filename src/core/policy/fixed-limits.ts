/** Limits that are rules of Umpire itself. The limits that a person can set are in `policy.ts`. */
import type { Setbacks } from '../phases/landing-state.ts'

/** After this many agent runs in a row that disappeared without a result, the agent counts as crashed. */
export const mostLosses = 10

/** How often in a row Umpire waits for a provider's limit that is met again each time it should be over. */
export const mostWaits = 50

/** The longest limits that are worth waiting for last a week. One more day leaves a margin. */
export const longestWaitDays = 8

/** After this many resolvers have left a merge unresolved, a person is asked. */
export const mostUnresolved = 2

/**
 * After this many landings in a row with a conflict, a person is asked. Each conflict means that other work landed first.
 * The limit is high enough for many loops that change the same lines to land one after the other.
 */
export const mostConflicts = 10

/** How often work is sent back if its gates pass on its own branch but fail after the merge. */
export const mostReturns = 2

/** How often a setup may fail and then pass on a retry, while one batch of work is merged. */
export const mostUnsteady = 3

/** How many witnesses are run for one review. */
export const mostWitnesses = 10

/** How often an agent may ask for gates, and report its progress, in one session. */
export const mostGateRequests = 20
export const mostProgressReports = 50
/** Both kinds of requests together. Umpire never reads a request with a higher number. */
export const mostToolRequests = mostGateRequests + mostProgressReports

/** For a step that a person asked for: no setback is retried, because the person decides what comes next. */
export const allSetbacks: Setbacks = { conflicts: mostConflicts, gates: mostReturns }
