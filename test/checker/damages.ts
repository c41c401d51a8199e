/** What can be wrong with a repository: how to damage a healthy one, and what the checker must say. */
import { type Damaged, policyOf, task } from './played-repository.ts'

const approval = { by: 'review', review: '2-2-review', cycle: 1 }
const branchOf = (it: Damaged, id: number) =>
  it.git('branch', '--list', `umpire/${id}-*`).replace(/^[+* ]+/, '')

/** The damage in words, how to do it, and the violation that the checker must find. */
export const damages: [string, (it: Damaged) => void, RegExp][] = [
  [
    'an event is dropped',
    (it) => it.sql("DELETE FROM events WHERE stream = 'task/1' AND version = 5"),
    /^order task\/1: version 4 is followed by 6$/,
  ],
  [
    'the last number of all is skipped',
    (it) => it.sql('UPDATE events SET seq = seq + 1 WHERE seq = (SELECT max(seq) FROM events)'),
    /^order task\/22: seq \d+ is followed by/,
  ],
  [
    'time runs back',
    (it) =>
      it.sql("UPDATE events SET at = '2001-01-01T00:00:00.000Z' WHERE stream = 'task/1' AND version = 7"),
    /^order task\/1: its time 2001-01-01/,
  ],
  [
    'a stream has no kind',
    (it) => it.sql("UPDATE events SET stream = 'tusk/1' WHERE seq = 1"),
    /^order tusk\/1: there is no such kind/,
  ],
  [
    'an event is no JSON',
    (it) => it.sql("UPDATE events SET data = '{' WHERE stream = 'task/1' AND version = 3"),
    /^order task\/1: the data of loop.started is no JSON object$/,
  ],

  [
    'somebody writes to a loop at rest',
    (it) => it.append(task.revised, 'loop.developing', { iteration: 3, maxCycles: 4 }),
    /^holds task\/1: loop.developing was written by nobody who holds the loop$/,
  ],
  [
    'an older worker writes after a newer claim',
    (it) => it.edit(task.crashes, 'loop.developing', (data) => Object.assign(data, { maxCycles: 9 })),
    /^holds task\/7: loop.developing speaks of 9 reviews, but the claim before it of 4$/,
  ],
  [
    'a claim is for no run',
    (it) => it.edit(task.revised, 'loop.claimed', (data) => Object.assign(data, { run: 99 })),
    /^holds task\/1: claimed for run 99, which had not begun$/,
  ],
  [
    'an ended task is claimed',
    (it) => it.append(task.revised, 'loop.claimed', { run: 2, worker: 'w', policy: { maxCycles: 4 } }),
    /^holds task\/1: claimed after loop.approved, which only a person can undo$/,
  ],
  [
    'a session follows after the developer gave up',
    (it) => it.edit(task.revised, 'session.ended', (data) => Object.assign(data, { gaveUp: 'No' }), 0),
    /^limits task\/1: session 1-2 was started after the developer gave up$/,
  ],
  [
    'a session has no end',
    (it) => it.blank(task.revised, 'session.ended', 0),
    /^holds task\/1: session 1-2 was started while 1-1 had no end$/,
  ],
  [
    'an end is of a session that does not run',
    (it) => it.edit(task.revised, 'session.ended', (data) => Object.assign(data, { session: '1-1' })),
    /^holds task\/1: session.ended is of session 1-1, but 1-4 is the one that runs$/,
  ],

  [
    'a developer reviews',
    (it) => it.edit(task.revised, 'review.completed', (data) => Object.assign(data, { session: '1-3' })),
    /^reviews task\/1: review 1-4-review is of session 1-3, which is a developer's$/,
  ],
  [
    'a reviewer of another task reviews',
    (it) => it.edit(task.revised, 'review.completed', (data) => Object.assign(data, { session: '2-2' })),
    /^reviews task\/1: review 1-4-review is of session 2-2, which this loop never started$/,
  ],
  [
    'a review is of an older cycle',
    (it) => it.edit(task.revised, 'session.started', (data) => Object.assign(data, { cycle: 1 })),
    /^reviews task\/1: review 1-4-review is of cycle 2, its session of cycle 1$/,
  ],
  [
    'the reviewer had failed',
    (it) => it.edit(task.revised, 'session.ended', (data) => Object.assign(data, { exitCode: 1 })),
    /^reviews task\/1: review 1-4-review counts although its session ended as done with exit code 1$/,
  ],
  [
    'the tree changed after the review',
    (it) => it.edit(task.revised, 'loop.committed', (data) => Object.assign(data, { tree: 'f'.repeat(40) })),
    /^approvals task\/1: loop.approved is of tree \w{10}, but ffffffffff was there$/,
  ],

  [
    'a verdict is changed',
    (it) =>
      it.edit(task.revised, 'review.completed', ({ body }) => Object.assign(body, { verdict: 'REJECTED' })),
    /^approvals task\/1: approved, but its review says REJECTED$/,
  ],
  [
    'the reviewer wanted a person',
    (it) => it.edit(task.revised, 'review.completed', ({ body }) => Object.assign(body, { blocking: true })),
    /^approvals task\/1: approved, but its review asks for a person$/,
  ],
  [
    'the approving review lists a blocker',
    (it) =>
      it.edit(task.revised, 'review.completed', ({ body }) => body.issues.push({ severity: 'blocking' })),
    /^approvals task\/1: approved, but its review lists a blocking issue$/,
  ],
  [
    'an issue was never resolved',
    (it) => it.blank(task.revised, 'issue.resolved'),
    /^approvals task\/1: approved, but the blocking issue 1 is open$/,
  ],
  [
    'an approval is forged',
    (it) => it.append(task.givenUp, 'loop.approved', approval),
    /^approvals task\/2: approved, but its review says CHANGES_REQUESTED$/,
  ],
  [
    'an approval without any review is forged',
    (it) => it.append(task.pending, 'loop.approved', approval),
    /^approvals task\/22: approved, but there is no review before it$/,
  ],
  [
    'nobody decided what a person is said to have approved',
    (it) => it.blank(task.byHand, 'person.decided'),
    /^approvals task\/3: approved, but no decision of a person stands beside it$/,
  ],
  [
    'a gate had failed',
    (it) => it.edit(task.revised, 'gate.completed', (data) => Object.assign(data, { passed: false })),
    /^approvals task\/1: loop.reviewing, but the gate readme did not pass on this tree$/,
  ],
  [
    'a review was wanted',
    policyOf(task.unreviewed, (policy) => Object.assign(policy, { reviewed: true })),
    /^approvals task\/6: completed without a review, although one was wanted$/,
  ],

  [
    'there were more reviews than allowed',
    policyOf(task.revised, (policy) => Object.assign(policy, { maxCycles: 1 })),
    /^limits task\/1: review 2 of at most 1$/,
  ],
  [
    'there were more iterations than allowed',
    policyOf(task.revised, (policy) => Object.assign(policy, { maxIterations: 1, until: 'claim' })),
    /^limits task\/1: iteration 2 of at most 1$/,
  ],
  [
    'a failed agent was started again',
    (it) => it.blank(task.crashes, 'person.decided'),
    /^limits task\/7: session 7-2 comes after 1 failures, 0 retries are allowed$/,
  ],
  [
    'the end of a limit was not waited for',
    (it) => {
      it.edit(
        task.crashes,
        'session.ended',
        ({ outcome }) =>
          Object.assign(outcome, { class: 'rate_limited', retryAt: '2999-01-01T00:00:00.000Z' }),
        0,
      )
      it.blank(task.crashes, 'person.decided')
    },
    /^limits task\/7: session 7-2 was started before 2999-01-01T00:00:00.000Z, the end of the limit$/,
  ],
  [
    'an agent without a login was started again',
    (it) => {
      it.edit(task.crashes, 'session.ended', ({ outcome }) => Object.assign(outcome, { class: 'auth' }), 0)
      it.blank(task.crashes, 'person.decided')
    },
    /^limits task\/7: session 7-2 was started although it could only fail again$/,
  ],
  [
    'an unreadable reviewer was asked too often',
    policyOf(task.unreadable, (policy) => Object.assign(policy, { reviewRetries: 0 })),
    /^limits task\/8: asked again after 1 unreadable reviews in this cycle$/,
  ],
  [
    'a gate failed too often',
    policyOf(task.gated, (policy) => Object.assign(policy, { maxGateFailures: 1 })),
    /^limits task\/9: a gate failed 1 times in a row, and the developer is asked again$/,
  ],

  [
    'somebody committed to an approved branch',
    (it) => {
      const branch = branchOf(it, task.revised)
      const stray = it.git('commit-tree', '-p', branch, '-m', 'Stray', `${branch}^{tree}`)
      it.git('update-ref', `refs/heads/${branch}`, stray)
    },
    /^commits task\/1: the commit \w{10} on umpire\/1-revised is of no attempt$/,
  ],
  [
    'a branch is moved back',
    (it) => it.git('update-ref', `refs/heads/${branchOf(it, task.revised)}`, 'main'),
    /^commits task\/1: the branch umpire\/1-revised is at \w{10} instead of \w{10}$/,
  ],
  [
    'a branch whose work is not done is deleted',
    (it) => it.git('update-ref', '-d', `refs/heads/${branchOf(it, task.givenUp)}`),
    /^commits task\/2: the branch umpire\/2-given-up is gone$/,
  ],
  [
    'a recorded tree is not the commit’s',
    (it) => it.edit(task.givenUp, 'loop.committed', (data) => Object.assign(data, { tree: 'f'.repeat(40) })),
    /^commits task\/2: the commit \w{10} has tree \w{10}, not ffffffffff$/,
  ],
  [
    'a recorded commit is not there',
    (it) => it.edit(task.givenUp, 'loop.committed', (data) => Object.assign(data, { sha: 'f'.repeat(40) })),
    /^commits task\/2: the commit ffffffffff is not in the repository$/,
  ],
  [
    'a record stands on another commit',
    (it) => it.edit(task.revised, 'loop.committed', (data) => Object.assign(data, { from: 'f'.repeat(40) })),
    /^commits task\/1: the commit stands on ffffffffff, but \w{10} was the last one$/,
  ],
  [
    'a commit is another session’s',
    (it) => it.edit(task.revised, 'loop.committed', (data) => Object.assign(data, { session: '1-1' })),
    /^commits task\/1: the commit \w{10} names session 1-3, it is recorded of 1-1$/,
  ],
  [
    'a commit is a reviewer’s',
    (it) => it.edit(task.revised, 'loop.committed', (data) => Object.assign(data, { session: '1-2' })),
    /^commits task\/1: the commit is of session 1-2, no developer's of this loop before it$/,
  ],

  [
    'a task’s status is changed',
    (it) => it.sql("UPDATE tasks SET status = 'completed' WHERE id = 2"),
    /^projections task\/2: tasks row 2: status is "completed", the journal says "blocked"$/,
  ],
  [
    'a task’s summary is changed',
    (it) =>
      it.sql(`UPDATE tasks SET summary = replace(summary, 'MAX_CYCLES_REACHED', 'APPROVED') WHERE id = 2`),
    /^projections task\/2: tasks row 2: summary is /,
  ],
  [
    'a deleted task is back',
    (it) =>
      it.sql(
        `INSERT INTO tasks SELECT 4, title, type, status, verdict, reason, cycle, max_cycles, iteration, cost_usd,
        started_at, ended_at, summary FROM tasks WHERE id = 1`,
      ),
    /^projections task\/4: tasks has a row 4, of which the journal does not tell$/,
  ],
  [
    'a loop’s state is changed',
    (it) => it.sql(`UPDATE loops SET state = replace(state, '"status":"blocked"', '"status":"completed"')`),
    /^projections task\/2: loops row 2: status is "completed", the journal says "blocked"$/,
  ],
  [
    'a session’s end is changed',
    (it) => it.sql("UPDATE sessions SET status = 'done' WHERE id = '7-1'"),
    /^projections task\/7: sessions row 7-1: status is "done", the journal says "failed"$/,
  ],
  [
    'a session is taken away',
    (it) => it.sql("DELETE FROM sessions WHERE id = '1-1'"),
    /^projections task\/1: sessions has no row 1-1, which the journal tells of$/,
  ],
  [
    'a review is changed',
    (it) => it.sql("UPDATE loop_reviews SET passed = 1 WHERE id = '2-2-review'"),
    /^projections task\/2: loop_reviews row 2-2-review: passed is true, the journal says false$/,
  ],
  [
    'an issue is changed',
    (it) => it.sql("UPDATE review_issues SET status = 'resolved' WHERE loop_review_id = '2-2-review'"),
    /^projections task\/2: review_issues row 2-2-review 0: status is "resolved", the journal says null$/,
  ],
  [
    'a gate’s result is changed',
    (it) => it.sql('UPDATE gate_results SET passed = 1 WHERE task_id = 9 AND passed = 0'),
    /^projections task\/9: gate_results row \d+: passed is true, the journal says false$/,
  ],
  [
    'a run’s end is changed',
    (it) => it.sql("UPDATE runs SET outcome = 'interrupted' WHERE id = 1"),
    /^projections run\/1: runs row 1: outcome is "interrupted", the journal says "finished"$/,
  ],

  [
    'a message is missing',
    (it) => it.sql("DELETE FROM messages WHERE session_id = '1-1' AND sequence = 1"),
    /^messages task\/1: of session 1-1 2 messages are stored, numbered from 0 to 2$/,
  ],
  [
    'the last message is missing',
    (it) => it.sql("DELETE FROM messages WHERE session_id = '1-1' AND sequence = 2"),
    /^messages task\/1: session 1-1 ended with 3 messages, 2 are stored$/,
  ],
  [
    'there are messages of nobody',
    (it) => it.sql("UPDATE messages SET session_id = '1-9' WHERE session_id = '1-1'"),
    /^messages task\/1: messages are stored of session 1-9, which never was$/,
  ],
]
