/** Limits that are rules of Umpire itself; what a person can set is in `policy.ts`. */
import type { Setbacks } from '../phases/landing-state.ts'

/** Keepers that vanish this often in a row are no accident: the agent counts as crashed. */
export const mostLosses = 10

/** A provider's limit that is met again each time it should be over is not waited for more often than this in a row. */
export const mostWaits = 50

/** A week, after which the longest limits that are worth waiting for are over, and a day to spare. */
export const longestWaitDays = 8

/** After this many resolvers that left a merge unresolved, a person is asked. */
export const mostUnresolved = 2

/**
 * After this many conflicts in a row of landings a person is asked. Each of them means that other work got in meanwhile,
 * so many loops that change the same lines still come to an end.
 */
export const mostConflicts = 10

/** This often work is sent back that passes its gates only by itself. */
export const mostReturns = 2

/** This often a setup may fail at first and pass when it is tried again, while one batch of work is merged. */
export const mostUnsteady = 3

/** Witnesses that are run for one review. */
export const mostWitnesses = 10

/** How often an agent may have gates run, and report its progress, in one session. */
export const mostGateRequests = 20
export const mostProgressReports = 50
/** Both together: a request with a higher number is never read. */
export const mostToolRequests = mostGateRequests + mostProgressReports

/** A person asked for one step and decides on the next, as if everything had been tried. */
export const allSetbacks: Setbacks = { conflicts: mostConflicts, gates: mostReturns }
