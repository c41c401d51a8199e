/** What can be wrong with panels, checkpoints and the ledger: how to damage them, and what the checker must say. */
import { type Damaged, policyOf } from './played-repository.ts'
import { together as task } from './played-together.ts'

type Damage = [string, (it: Damaged) => void, RegExp]

const besideTheLoop: Damage[] = [
  [
    'too few of a panel approve',
    policyOf(task.absent, (policy) => Object.assign(policy, { approveBy: 'all' })),
    /^reviews task\/9: review 9-2p1-review approves with 1 of 2 approvals$/,
  ],
  [
    'a seat that said nothing is taken for an approval',
    (it) =>
      it.edit(task.absent, 'review.completed', ({ seats }) =>
        Object.assign(seats[1], { verdict: 'APPROVED' }),
      ),
    /^reviews task\/9: review 9-2p1-review says APPROVED of seat 2, which did not say that of this tree$/,
  ],
  [
    'a seat is not heard',
    (it) => it.edit(task.absent, 'review.completed', ({ seats }) => seats.pop()),
    /^beside task\/9: review 9-2p1-review is of the seats 1, and 1 2 are to be heard$/,
  ],
  [
    'a seat that spoke is called absent',
    (it) =>
      it.edit(
        task.panelled,
        'review.completed',
        ({ seats }) => Object.assign(seats[1], { verdict: null, why: 'gone' }),
        0,
      ),
    /^beside task\/8: review 8-2p1-review calls seat 2 absent, which is not so$/,
  ],
  [
    'a panel says what none of its seats said',
    (it) =>
      it.edit(task.panelled, 'review.completed', ({ body }) => Object.assign(body, { verdict: 'REJECTED' })),
    /^beside task\/8: review 8-5p1-review says REJECTED, which none of its seats said$/,
  ],
  [
    'a panel approves although one of it wants a person',
    (it) => it.edit(task.absent, 'review.given', ({ body }) => Object.assign(body, { blocking: true })),
    /^beside task\/9: review 9-2p1-review approves, although a seat asks for a person$/,
  ],
  [
    'one reviews where a panel was wanted',
    policyOf(task.waived, (policy) => Object.assign(policy, { seats: 2 })),
    /^beside task\/11: one is asked where 2 review$/,
  ],
  [
    'a seat is asked more often than its tries allow',
    (it) => {
      const start = { session: '9-4p2', role: 'reviewer', beside: { kind: 'panel', seat: 2 }, cycle: 1 }
      it.edit(task.absent, 'review.completed', (data) => Object.assign(data, start))
      it.sql(
        "UPDATE events SET type = 'session.started' WHERE stream = 'task/9' AND type = 'review.completed'",
      )
    },
    /^beside task\/9: session 9-4p2 is of seat 2 after 1 failures, 0 retries are allowed$/,
  ],
  [
    'a checkpoint approves',
    (it) =>
      it.edit(task.spins, 'loop.approved', (data) => Object.assign(data, { review: '10-c10.1-review' })),
    /^approvals task\/10: approved, but it names review 10-c10.1-review, and the last one before it is 10-4-review$/,
  ],
  [
    'a checkpoint is taken for a review of the task',
    (it) => it.sql("UPDATE events SET type = 'review.completed' WHERE type = 'loop.checkpoint'"),
    /^beside task\/10: review 10-c10.1-review is the word of session 10-c10.1 alone, which ran beside others$/,
  ],
  [
    'a checkpoint opens an issue',
    (it) =>
      it.append(task.spins, 'issue.opened', {
        ...{ issue: 1, cycle: 1, review: '10-c10.1-review', late: false, reopened: false },
        reported: { severity: 'blocking', description: 'Off the task.' },
      }),
    /^issues task\/10: issue 1 is of review 10-c10.1-review, and the last one is 10-4-review$/,
  ],
  [
    'a checkpoint was taken at no interval',
    (it) => it.blank(task.spins, 'loop.interval', 0),
    /^beside task\/10: session 10-c10.1 looks at it because of iteration 1, which is no interval$/,
  ],
  [
    'a checkpoint was taken before its interval',
    policyOf(task.spins, (policy) => Object.assign(policy, { checkpointEvery: 2 })),
    /^beside task\/10: iteration 1 is no interval, which is 2$/,
  ],
  [
    'a checkpoint is a session of the loop’s own',
    (it) => it.edit(task.spins, 'session.started', (data) => Object.assign(data, { beside: undefined }), 1),
    /^holds task\/10: session 10-c10.1 was started where 10-2 is next$/,
  ],
  [
    'a checkpoint looks at work that is being reviewed',
    (it) => {
      it.edit(task.spins, 'session.started', (data) => Object.assign(data, { role: 'parser' }), 0)
      it.blank(task.spins, 'session.ended', 0)
    },
    /^beside task\/10: session 10-c10.1 looks at unfinished work while 10-1, a parser's, runs$/,
  ],
  [
    'a checkpoint counts that had failed',
    (it) => it.edit(task.spins, 'session.ended', (data) => Object.assign(data, { exitCode: 1 }), 1),
    /^beside task\/10: checkpoint 10-c10.1-review counts although its session failed$/,
  ],
]

const ofIssues: Damage[] = [
  [
    'an issue is waived by nobody',
    (it) => it.blank(task.waived, 'person.decided', 0),
    /^issues task\/11: issue 1 is waived, and no person decided that$/,
  ],
  [
    'what was waived is opened again',
    (it) =>
      it.append(task.waived, 'issue.opened', {
        ...{ issue: 1, cycle: 2, review: '11-3-review', late: false, reopened: true },
        reported: { severity: 'blocking', description: 'No tea.' },
      }),
    /^issues task\/11: issue.opened is of issue 1, which a person had waived before the reviewer was asked$/,
  ],
  [
    'what was waived blocks in the tables',
    (it) => it.sql(`UPDATE loops SET state = replace(state, '"status":"waived"', '"status":"open"')`),
    /^projections task\/11: loops row 11: issues is /,
  ],
  [
    'an issue that was not waived is left open',
    (it) => it.blank(task.waived, 'issue.waived'),
    /^approvals task\/11: approved, but the blocking issue 2 is open$/,
  ],
  [
    'a witness is said to have proven what it did not',
    (it) =>
      it.edit(task.proven, 'issue.proven', (data) =>
        Object.assign(data, { outcome: 'proven', exitCode: 127 }),
      ),
    /^issues task\/13: the witness of issue 1 ended with 127, and is called proven$/,
  ],
  [
    'a witness changes what an issue weighs against how it ended',
    (it) => it.edit(task.proven, 'issue.proven', (data) => Object.assign(data, { severity: 'advisory' })),
    /^issues task\/13: the witness of issue 1 is (proven|not run), and makes the issue advisory instead of blocking$/,
  ],
  [
    'a witness was run although nobody wanted it',
    policyOf(task.proven, (policy) => Object.assign(policy, { proof: 'off' })),
    /^issues task\/13: the witness of issue 1 was run, although proof is off$/,
  ],
  [
    'a loop is called churning that is not',
    (it) => it.blank(task.churns, 'issue.opened'),
    /^stops task\/12: stopped as churning, and the last two reviews did not open more than they resolved$/,
  ],
  [
    'a loop that churns goes on',
    (it) => it.blank(task.churns, 'loop.blocked'),
    /^stops task\/12: sent back, although each of the last two reviews opened more than it resolved$/,
  ],
  [
    'a loop is called stalled that is not',
    (it) => it.edit(task.churns, 'loop.blocked', (data) => Object.assign(data, { reason: 'stalled' })),
    /^stops task\/12: stopped as stalled, and nothing shows that it does not get on$/,
  ],
  [
    'work is called rejected that is not',
    (it) => it.edit(task.churns, 'loop.blocked', (data) => Object.assign(data, { reason: 'rejected' })),
    /^stops task\/12: stopped as rejected, and no review rejected it$/,
  ],
  [
    'work is sent back for what was never proven',
    policyOf(task.churns, (policy) => Object.assign(policy, { proof: 'require' })),
    /^stops task\/12: sent back for issue 1, which nothing has proven$/,
  ],
]

export const damagesOfReviews: Damage[] = [...besideTheLoop, ...ofIssues]
