/** What can be wrong if many tasks work together: how to damage it, and what the checker must say. */
import type { Damaged } from './played-repository.ts'
import { together as task } from './played-together.ts'

type Damage = [string, (it: Damaged) => void, RegExp]

/** Merges the same work into the branch once more. */
function mergeAgain(it: Damaged, id: number, branch: string): string {
  const work = it.git('branch', '--list', `umpire/${id}-*`).replace(/^[+* ]+/, '')
  const merge = it.git('commit-tree', '-p', branch, '-p', work, '-m', 'Merge it again', `${branch}^{tree}`)
  it.git('update-ref', `refs/heads/${branch}`, merge)
  return merge
}

const ofOrder: Damage[] = [
  [
    'a task began before one that it depends on',
    (it) => it.edit(task.third, 'task.added', (data) => Object.assign(data.task, { dependsOn: [4] })),
    /^schedule task\/3: begins before task 4, for which it waits, is completed$/,
  ],
  [
    'a group began before the one below it was complete',
    (it) => it.edit(task.refused, 'task.added', (data) => Object.assign(data.task, { group: 1 })),
    /^schedule task\/3: begins before task 4, for which it waits, is completed$/,
  ],
  [
    'a task is held by one that has nothing to do with it',
    (it) => it.edit(task.held, 'loop.blocked', (data) => Object.assign(data, { by: [2] })),
    /^schedule task\/5: held up by task 2, for which it does not wait$/,
  ],
  [
    'a task is held by one at which nobody has to look',
    (it) => {
      it.edit(task.held, 'task.added', (data) => Object.assign(data.task, { dependsOn: [2, 4] }))
      it.edit(task.held, 'loop.blocked', (data) => Object.assign(data, { by: [2] }))
    },
    /^schedule task\/5: held up by task 2, at which nobody has to look$/,
  ],
  [
    'a task is freed that waits for itself',
    (it) => it.edit(task.held, 'task.added', (data) => Object.assign(data.task, { dependsOn: [4, 5] })),
    /^schedule task\/5: freed, and waits for itself, through others$/,
  ],
  [
    'a task comes to depend on another one when it has begun',
    (it) => it.append(task.churns, 'task.changed', { changes: { dependsOn: [2] }, by: 'ada' }),
    /^schedule task\/12: comes to depend on task 2 after it has begun$/,
  ],
  [
    'a task is freed that something else had stopped',
    (it) => it.append(task.churns, 'loop.freed', { why: 'nothing holds it' }),
    /^schedule task\/12: freed, and was blocked: churning$/,
  ],
  [
    'a task began without the work that it depends on',
    (it) =>
      it.edit(task.held, 'loop.started', ({ place }) =>
        Object.assign(place, { start: undefined, root: undefined }),
      ),
    /^schedule task\/5: begins at \w{10}, which does not hold \w{10}, on which it builds$/,
  ],
  [
    'a group began without the work of the one below it',
    (it) =>
      it.edit(task.third, 'loop.started', ({ place }) =>
        Object.assign(place, { start: place.baseCommit, root: place.baseCommit }),
      ),
    /^schedule task\/3: begins at \w{10}, which does not hold \w{10}, on which it builds$/,
  ],
]

const ofLanding: Damage[] = [
  [
    'unapproved work came into the base with what is built on it',
    (it) => it.edit(task.refused, 'loop.approved', (data) => Object.assign(data, { tree: null })),
    /^carried task\/5: brought along \w{10} of task 4, which was not approved as it is$/,
  ],
  [
    'work of a group landed on the base',
    (it) => it.edit(task.second, 'loop.landed', (data) => Object.assign(data, { base: 'main' })),
    /^landings task\/2: loop.landed of main, but the work is for umpire\/run-1\/group-1$/,
  ],
  [
    'a group lost work that was merged',
    (it) => it.git('update-ref', 'refs/heads/umpire/run-1/group-1', 'main~1'),
    /^landings task\/2: landed as \w{10}, which is not on umpire\/run-1\/group-1$/,
  ],
  [
    'work is merged twice',
    (it) => {
      // The first task of a group lands without a merge commit, and the order is not known.
      mergeAgain(it, task.second, 'umpire/run-1/group-1')
      const commit = mergeAgain(it, task.second, 'umpire/run-1/group-1')
      it.edit(task.second, 'loop.landed', (data) => Object.assign(data, { commit }))
    },
    /^landings task\/2: landed as \w{10}, in which it is [23] times$/,
  ],
  [
    'work of a group was not to be merged',
    (it) => it.edit(task.second, 'loop.started', ({ place }) => Object.assign(place, { target: undefined })),
    /^approvals task\/2: approved, and is landed, against what was set$/,
  ],
]

const ofResolving: Damage[] = [
  [
    'a resolver worked where nothing conflicted',
    (it) => it.edit(task.clashes, 'loop.merging', (data) => Object.assign(data, { outcome: 'clean' })),
    /^resolving task\/7: session 7-3 is a resolver's, and nothing conflicts$/,
  ],
  [
    'a resolver worked without a merge',
    (it) => it.blank(task.clashes, 'loop.resolving'),
    /^resolving task\/7: session 7-3 is a resolver's, and there is nothing to merge$/,
  ],
  [
    'a developer worked in the middle of a merge',
    (it) => it.edit(task.clashes, 'session.started', (data) => Object.assign(data, { role: 'developer' }), 2),
    /^resolving task\/7: session 7-3 is a developer's, and a merge is under way$/,
  ],
  [
    'no landing had met a conflict',
    (it) =>
      it.edit(
        task.clashes,
        'loop.integrated',
        ({ outcome }) => Object.assign(outcome, { kind: 'refused' }),
        0,
      ),
    /^resolving task\/7: merges main in because of a conflict, which no landing there had met$/,
  ],
  [
    'a merge was committed that nobody had resolved',
    (it) =>
      it.edit(task.clashes, 'session.ended', ({ outcome }) => Object.assign(outcome, { kind: 'failed' }), 2),
    /^resolving task\/7: the merge of main is committed, and nobody had resolved it$/,
  ],
  [
    'a merge has lost its other side',
    (it) => {
      const commit = it.git('rev-parse', 'umpire/12-churns')
      it.edit(task.clashes, 'loop.resolving', ({ other }) => Object.assign(other, { commit }))
    },
    /^resolving task\/7: the merge \w{10} does not hold \w{10} of main$/,
  ],
  [
    'what was resolved landed without another review',
    (it) => it.blank(task.clashes, 'loop.approved'),
    /^landings task\/7: loop.landing of work that is neither approved nor completed$/,
  ],
  [
    'what was resolved was approved by the review before',
    (it) => it.blank(task.clashes, 'review.completed'),
    /^approvals task\/7: approved, but there is no review before it$/,
  ],
]

const ofMoney: Damage[] = [
  [
    'a session was started for which there was no money',
    (it) => it.edit(task.parked, 'session.started', (data) => Object.assign(data, { reservedUsd: 9 })),
    /^budget task\/14: session 14-1 was started with 9 of 0.6 of task 14 in use$/,
  ],
  [
    'a task is parked and nobody says for what',
    (it) => it.edit(task.parked, 'loop.blocked', (data) => Object.assign(data, { refusal: undefined })),
    /^budget task\/14: stopped for want of money, and it is not said for what, or where$/,
  ],
]

const ofTables: Damage[] = [
  [
    'a checkpoint became a review of its task',
    (it) => it.sql("UPDATE loop_reviews SET task_id = 10 WHERE id = '10-c10.1-review'"),
    /^projections task\/10: loop_reviews row 10-c10.1-review: task is 10, the journal says null$/,
  ],
  [
    'what the seats said is changed',
    (it) => it.sql('UPDATE loop_reviews SET seats = NULL WHERE task_id = 9'),
    /^projections task\/9: loop_reviews row 9-2p1-review: seats is null, the journal says /,
  ],
  [
    'the time of the last checkpoint is changed',
    (it) => it.sql('UPDATE loops SET last_checkpoint_review_at = NULL WHERE task_id = 10'),
    /^projections task\/10: loops row 10: checkpointAt is null, the journal says /,
  ],
  [
    'what was reserved is changed',
    (it) => it.sql("UPDATE sessions SET reserved_usd = 7 WHERE id = '14-1'"),
    /^projections task\/14: sessions row 14-1: reservedUsd is 7, the journal says 0.6$/,
  ],
  [
    'where the work of a group goes is changed',
    (it) => it.sql(`UPDATE tasks SET summary = json_set(summary, '$.target', 'main') WHERE id = 2`),
    /^projections task\/2: tasks row 2: target is "main", the journal says "umpire\/run-1\/group-1"$/,
  ],
]

export const damagesTogether: Damage[] = [...ofOrder, ...ofLanding, ...ofResolving, ...ofMoney, ...ofTables]
