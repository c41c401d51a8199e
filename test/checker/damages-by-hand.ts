/** What can be wrong with steps by hand, with landings and with tasks for another task. */
import { type Damaged, policyOf, task } from './played-repository.ts'

const other = 'f'.repeat(40)
const firstOfMain = (it: Damaged) => it.git('rev-list', '--max-parents=0', 'main')

/** The damage in words, how to do it, and the violation that the checker must find. */
export const damagesByHand: [string, (it: Damaged) => void, RegExp][] = [
  [
    'somebody claims what waits for its review',
    (it) => it.append(task.waits, 'loop.claimed', { run: 1, worker: 'w', policy: { maxCycles: 4 } }),
    /^holds task\/18: claimed after loop.awaiting_review, which only a person can undo$/,
  ],
  [
    'a worker speaks of reviews that nobody granted',
    (it) => it.edit(task.led, 'loop.reviewing', (data) => Object.assign(data, { maxCycles: 9 })),
    /^holds task\/11: loop.reviewing speaks of 9 reviews, but the claim before it of 2$/,
  ],
  [
    'nobody asked for the improvement that goes on with a task',
    (it) => it.blank(task.led, 'person.decided', 0),
    /^holds task\/11: claimed after loop.blocked, which only a person can undo$/,
  ],
  [
    'a worker that had let go commits',
    (it) => it.edit(task.changed, 'loop.committed', (data) => Object.assign(data, { message: 'changed' })),
    /^holds task\/20: loop.committed was written by nobody who holds the loop$/,
  ],
  [
    'work is said to have landed that did not wait for anybody',
    (it) => it.edit(task.dirty, 'loop.blocked', (data) => Object.assign(data, { reason: 'conflict' })),
    /^holds task\/19: loop.integrated was written by nobody who holds the loop$/,
  ],
  [
    'a reviewer still runs when the work lands',
    (it) => it.blank(task.lands, 'session.ended'),
    /^holds task\/17: loop.landing while session 17-2 had no end$/,
  ],

  [
    'work waits for a person although reviews begin by themselves',
    policyOf(task.waits, (policy) => Object.assign(policy, { trigger: 'script_completion' })),
    /^approvals task\/18: waits for a person to ask for the review, although reviews begin by themselves$/,
  ],
  [
    'nobody had asked for the improvement after which work waits',
    (it) => it.edit(task.improved, 'person.decided', (data) => Object.assign(data, { move: 'review' })),
    /^approvals task\/12: waits for a person to ask for the review, although reviews begin by themselves$/,
  ],
  [
    'work waits for its review with a gate that failed',
    (it) => it.edit(task.waits, 'gate.completed', (data) => Object.assign(data, { passed: false })),
    /^approvals task\/18: loop.awaiting_review, but the gate readme did not pass on this tree$/,
  ],
  [
    'another tree waits for its review than is there',
    (it) => it.edit(task.waits, 'loop.awaiting_review', (data) => Object.assign(data, { tree: other })),
    /^approvals task\/18: loop.awaiting_review is of tree ffffffffff, but \w{10} was there$/,
  ],
  [
    'approved work is landed although it was to stay on its branch',
    policyOf(task.lands, (policy) => Object.assign(policy, { land: 'branch' })),
    /^approvals task\/17: approved, and is landed, against what was set$/,
  ],
  [
    'approved work is not landed although it was to be',
    policyOf(task.revised, (policy) => Object.assign(policy, { land: 'base' })),
    /^approvals task\/1: approved, and is not landed, against what was set$/,
  ],
  [
    'an approval rests on a review that was sent back',
    (it) => it.append(task.judged, 'loop.approved', { by: 'review', review: '13-2-review', cycle: 1 }),
    /^approvals task\/13: approved, but there is no review before it$/,
  ],

  [
    'there was a review more than the person granted',
    (it) => it.edit(task.led, 'loop.reviewing', (data) => Object.assign(data, { cycle: 5 })),
    /^limits task\/11: review 5 of at most 2$/,
  ],
  [
    'a reviewer comes in an improvement by hand',
    (it) => it.edit(task.led, 'session.started', (data) => Object.assign(data, { role: 'reviewer' }), 2),
    /^by-hand task\/11: session 11-3 is a reviewer's, and a person asked for nothing but to improve$/,
  ],
  [
    'a developer comes in a review by hand',
    (it) => it.edit(task.led, 'session.started', (data) => Object.assign(data, { role: 'developer' }), 3),
    /^by-hand task\/11: session 11-4 is a developer's, and a person asked for nothing but to review$/,
  ],
  [
    'an improvement by hand goes on and on',
    (it) => it.append(task.improved, 'session.started', { session: '12-4', role: 'developer', iteration: 9 }),
    /^by-hand task\/12: session 12-4 is a second turn, and a person asked to improve once$/,
  ],
  [
    'a merge by hand starts somebody',
    (it) => it.append(task.clashing, 'session.started', { session: '14-2', role: 'developer', iteration: 2 }),
    /^by-hand task\/14: session 14-2 is a developer's, and a person asked for nothing but to merge$/,
  ],
  [
    'a developer works on a review task',
    (it) => it.edit(task.looks, 'session.started', (data) => Object.assign(data, { role: 'developer' })),
    /^by-hand task\/15: session 15-1 is a developer's, and the task is a review$/,
  ],

  [
    'what a person changed was never approved',
    (it) => it.edit(task.changed, 'loop.approved', (data) => Object.assign(data, { tree: other })),
    /^approvals task\/20: loop.approved is of tree ffffffffff, but \w{10} was there$/,
  ],
  [
    'what is landed was never approved',
    (it) => it.blank(task.lands, 'loop.approved'),
    /^landings task\/17: loop.landed of work that is neither approved nor completed$/,
  ],
  [
    'a person merges what was never approved',
    (it) => it.blank(task.led, 'loop.approved'),
    /^landings task\/11: a person merges what is neither approved nor completed$/,
  ],
  [
    'a person had spoken against what is landed',
    (it) => {
      it.edit(task.led, 'person.decided', (data) =>
        Object.assign(data, { move: 'verdict', verdict: 'REJECTED' }),
      )
    },
    /^landings task\/11: loop.landed of work that is neither approved nor completed$/,
  ],
  [
    'nobody wanted the merge',
    (it) => it.blank(task.clashing, 'person.decided'),
    /^landings task\/14: loop.landing, although neither the settings nor a person wanted it$/,
  ],
  [
    'another tree is landed than was approved',
    (it) => it.edit(task.lands, 'loop.approved', (data) => Object.assign(data, { tree: other })),
    /^landings task\/17: loop.landed of tree \w{10}, but ffffffffff was approved$/,
  ],
  [
    'a gate failed on the merged tree',
    (it) => it.edit(task.lands, 'gate.completed', (data) => Object.assign(data, { passed: false })),
    /^landings task\/17: merged, but the gate readme did not pass on the merged tree$/,
  ],
  [
    'the gates ran on another tree than was merged',
    (it) => it.edit(task.lands, 'gate.completed', (data) => Object.assign(data, { tree: other })),
    /^landings task\/17: merged, but the gate readme did not pass on the merged tree$/,
  ],
  [
    'work is merged without a beginning',
    (it) => it.blank(task.lands, 'loop.landing'),
    /^landings task\/17: merged without having begun to$/,
  ],
  [
    'work landed that conflicted',
    (it) => it.append(task.clashing, 'loop.landed', { base: 'main', commit: other, tree: other }),
    /^landings task\/14: landed as ffffffffff, but no merge came to that$/,
  ],
  [
    'work landed in another branch than it is for',
    (it) => it.edit(task.lands, 'loop.landed', (data) => Object.assign(data, { base: 'other' })),
    /^landings task\/17: loop.landed of other, but the work is for main$/,
  ],
  [
    'work is landed twice',
    (it) => it.append(task.lands, 'loop.landing', { base: 'main', cycle: 1 }),
    /^landings task\/17: loop.landing comes after the work has landed$/,
  ],
  [
    'the commit of the base does not hold the work',
    (it) => {
      const commit = firstOfMain(it)
      it.edit(task.lands, 'loop.landed', (data) => Object.assign(data, { commit }))
    },
    /^landings task\/17: landed as \w{10}, which does not hold \w{10}$/,
  ],
  [
    'the commit of the base is not the tree that was checked',
    (it) => it.edit(task.lands, 'loop.landed', (data) => Object.assign(data, { tree: other })),
    /^landings task\/17: landed as \w{10}, whose tree is \w{10}, not ffffffffff$/,
  ],

  [
    'a task begins with the work of another than it is for',
    (it) => it.edit(task.mends, 'loop.started', ({ inherited }) => Object.assign(inherited, { task: 1 })),
    /^inherited task\/16: it begins with the work of task 1, and is for task 13$/,
  ],
  [
    'a task does not begin with the work that it is for',
    (it) => it.edit(task.mends, 'loop.started', (data) => Object.assign(data, { inherited: undefined })),
    /^inherited task\/16: it begins with the work of no other, and is for task 13$/,
  ],
  [
    'a branch begins elsewhere than the work',
    (it) => it.edit(task.mends, 'loop.started', ({ place }) => Object.assign(place, { start: other })),
    /^inherited task\/16: its branch begins at ffffffffff, its work at \w{10}$/,
  ],
  [
    'a task begins with work that the other never had',
    (it) => it.edit(task.looks, 'loop.started', ({ inherited }) => Object.assign(inherited, { tree: other })),
    /^inherited task\/15: it begins with \w{10} with tree ffffffffff, which task 13 never was at before$/,
  ],
  [
    'a review task judged another tree than it began with',
    (it) => it.edit(task.looks, 'loop.started', ({ inherited }) => Object.assign(inherited, { tree: other })),
    /^reviews task\/15: review 15-1-review is of tree \w{10}, but ffffffffff was there$/,
  ],
  [
    'an improvement does not stand on the work that it is for',
    (it) => it.edit(task.mends, 'loop.committed', (data) => Object.assign(data, { from: other }), 0),
    /^commits task\/16: the commit stands on ffffffffff, but \w{10} was the last one$/,
  ],

  [
    'a task that waits for its review is called completed',
    (it) => it.sql("UPDATE tasks SET status = 'completed' WHERE id = 18"),
    /^projections task\/18: tasks row 18: status is "completed", the journal says "awaiting_review"$/,
  ],
  [
    'a task that was landed without a review is called approved',
    (it) => it.sql("UPDATE tasks SET verdict = 'APPROVED' WHERE id = 14"),
    /^projections task\/14: tasks row 14: verdict is "APPROVED", the journal says null$/,
  ],
]
