/** What an import does, given the tasks that exist already. */
import { expect, test } from 'vitest'
import { newTask, type Task, type TaskStatus } from '../../src/core/task.ts'
import { decideImport, type ImportedFile, inFilingOrder } from '../../src/plan/decide-import.ts'
import type { Filed } from '../../src/plan/find-filed.ts'
import type { PlanFile } from '../../src/plan/format/plan-file.ts'

const store = '0123456789ab'

function file(task: number, more: Partial<PlanFile> = {}, folder = 'plans'): ImportedFile {
  const plan: PlanFile = {
    ...{
      task,
      title: `Task ${task}`,
      status: 'pending',
      description: '',
      scope: null,
      accept: [],
      gates: [],
    },
    ...{ dependsOn: [], group: null, of: null, settings: {}, mark: null },
    ...more,
  }
  const lines = ['task', 'depends_on', 'group', 'umpire', 'of', 'type']
  return { file: `${folder}/${task}.md`, folder, plan, lineOf: (key) => lines.indexOf(key) + 2 || null }
}

function filed(id: number, more: Partial<Task> = {}, status: TaskStatus = 'pending'): Filed {
  return { id, status, begun: status !== 'pending', task: { ...newTask(`Task ${id}`), ...more } }
}

const from = (task: number, plan = 'plans') => ({ source: { plan, task } })

function stepsOf(files: ImportedFile[], present: Filed[] = []) {
  const decision = decideImport(files, present, store)
  if (decision.kind === 'problems') throw new Error(JSON.stringify(decision.problems))
  return decision.steps
}

function problemsOf(files: ImportedFile[], present: Filed[] = []): string[] {
  const decision = decideImport(files, present, store)
  return decision.kind === 'problems' ? decision.problems.map((p) => `${p.file}:${p.line}: ${p.text}`) : []
}

test('new tasks come after their dependencies, whatever their files are called', () => {
  const steps = stepsOf([file(1, { dependsOn: [3] }), file(2), file(3, { dependsOn: [2] })])
  expect(inFilingOrder(steps).map(({ task }) => task.title)).toEqual(['Task 2', 'Task 3', 'Task 1'])
  expect(steps[0]).toMatchObject({
    kind: 'add',
    id: -1,
    task: { dependsOn: [-3], source: { plan: 'plans', task: 1 } },
  })
})

test('a plan is recognised by its folder and its numbers, and only differences are changed', () => {
  const present = [
    filed(7, { title: 'Task 1', ...from(1) }),
    filed(8, { title: 'Old', effort: 'max', ...from(2) }),
  ]
  const [same, other, foreign] = stepsOf(
    [file(1), file(2, { dependsOn: [1], gates: ['npm test'] }), file(1, {}, 'elsewhere')],
    present,
  )
  expect(same).toMatchObject({ kind: 'keep', id: 7, note: null })
  expect(other).toMatchObject({
    kind: 'change',
    id: 8,
    changes: { title: 'Task 2', dependsOn: [7], gates: ['npm test'] },
  })
  expect(other?.kind === 'change' && Object.keys(other.changes)).toHaveLength(3)
  expect(foreign).toMatchObject({ kind: 'add' })
})

test('dependencies in another order are the same', () => {
  const present = [filed(1, from(1)), filed(2, from(2)), filed(3, { dependsOn: [1, 2], ...from(3) })]
  expect(stepsOf([file(3, { dependsOn: [2, 1] })], present)).toMatchObject([{ kind: 'keep', id: 3 }])
})

test('an exported file is recognised by its mark and uses Umpire’s numbers, but only in its own store', () => {
  const present = [filed(4), filed(5, from(9))]
  const mark = { id: 5, store, digest: store }
  expect(stepsOf([file(5, { mark, dependsOn: [4] })], present)).toMatchObject([
    { kind: 'change', id: 5, changes: { dependsOn: [4] } },
  ])
  const elsewhere = { ...mark, store: 'ffffffffffff' }
  expect(stepsOf([file(5, { mark: elsewhere })], present)).toMatchObject([{ kind: 'add' }])
  expect(problemsOf([file(5, { mark: elsewhere, dependsOn: [4] })], present)).toEqual([
    'plans/5.md:3: depends_on: there is no task 4 in this plan',
  ])
})

test('leaves completed and cancelled tasks alone, changes tasks in progress, and notes both', () => {
  const present = [
    filed(1, from(1), 'completed'),
    filed(2, from(2), 'cancelled'),
    filed(3, from(3), 'in_progress'),
  ]
  const files = [1, 2, 3].map((number) => file(number, { description: 'More.' }))
  expect(stepsOf(files, present)).toMatchObject([
    { kind: 'keep', id: 1, note: 'is completed, so it was not changed' },
    { kind: 'keep', id: 2, note: 'is cancelled, so it was not changed' },
    { kind: 'change', id: 3, note: 'is being worked on; the running session still has the old text' },
  ])
  expect(stepsOf([file(1)], present)).toMatchObject([{ kind: 'keep', note: null }])
})

test('a file with status completed adds no task, and its dependents need not wait', () => {
  const files = [file(1, { status: 'completed' }), file(2, { dependsOn: [1] })]
  expect(stepsOf(files)).toMatchObject([
    { kind: 'skip', note: 'says that it is completed, so no task is added' },
    { kind: 'add', task: { dependsOn: [] } },
  ])
})

test('a file with status completed does not complete an existing task', () => {
  expect(stepsOf([file(1, { status: 'completed' })], [filed(1, from(1))])).toMatchObject([
    { kind: 'keep', note: expect.stringContaining('umpire edit 1 --verdict APPROVED') },
  ])
})

test('a task can depend on one that was imported earlier, without its file', () => {
  expect(stepsOf([file(2, { dependsOn: [1] })], [filed(9, from(1), 'completed')])).toMatchObject([
    { kind: 'add', task: { dependsOn: [9] } },
  ])
})

test.each<[string, ImportedFile[], Filed[], string[]]>([
  ['a number twice', [file(1), file(1)], [], ['plans/1.md:2: task: plans/1.md has the number 1, too']],
  [
    'an unknown number',
    [file(1, { dependsOn: [2] })],
    [],
    ['plans/1.md:3: depends_on: there is no task 2 in this plan'],
  ],
  [
    'a number of another plan',
    [file(1, { dependsOn: [2] }), file(2, {}, 'other')],
    [filed(2)],
    ['plans/1.md:3: depends_on: there is no task 2 in this plan'],
  ],
  [
    'a dependency on what is given up',
    [file(1, { dependsOn: [2] }), file(2, { status: 'cancelled' })],
    [],
    ['plans/1.md:3: depends_on: plans/2.md says that task 2 is cancelled, so it is not imported'],
  ],
  ['itself', [file(1, { dependsOn: [1] })], [], ['plans/1.md:3: depends_on: Task 1 would depend on itself.']],
  [
    'a deadlock, said once',
    [file(1, { dependsOn: [2] }), file(2, { dependsOn: [3] }), file(3, { dependsOn: [1] })],
    [],
    ['plans/1.md:3: depends_on: Tasks would wait for each other: 1 → 2 → 3 → 1.'],
  ],
  [
    'a deadlock with what is filed already',
    [file(1, { dependsOn: [2] })],
    [filed(7, from(1)), filed(8, { dependsOn: [7], ...from(2) })],
    ['plans/1.md:3: depends_on: Tasks would wait for each other: 1 → #8 → 1.'],
  ],
  [
    'a later group',
    [file(1, { dependsOn: [2], group: 1 }), file(2, { group: 2 })],
    [],
    [
      'plans/1.md:3: depends_on: Tasks would wait for each other: 1 → 2 → 1; 2 is in group 2 and starts only after 1 of group 1.',
    ],
  ],
  [
    'a review of nothing',
    [file(1, { settings: { type: 'review' } })],
    [],
    ['plans/1.md:7: of: is missing; name the task to review'],
  ],
  [
    'of with the wrong type',
    [file(1, { of: 2 }), file(2)],
    [],
    ['plans/1.md:6: of: only the types review and improve can have it'],
  ],
])('refused: %s', (_, files, present, problems) => {
  expect(problemsOf(files, present)).toEqual(problems)
})

test('two tasks may swap their order', () => {
  const present = [filed(1, { dependsOn: [2], ...from(1) }), filed(2, from(2))]
  expect(stepsOf([file(1), file(2, { dependsOn: [1] })], present)).toMatchObject([
    { kind: 'change', changes: { dependsOn: [] } },
    { kind: 'change', changes: { dependsOn: [1] } },
  ])
})

test('a started task gets no new dependencies, with a note, but the rest of its file is applied', () => {
  const present = [filed(1, { ...from(1), dependsOn: [2] }, 'blocked'), filed(2, from(2)), filed(3, from(3))]
  const [other, same, fewer] = [
    stepsOf([file(1, { title: 'New', dependsOn: [2, 3] })], present),
    stepsOf([file(1, { dependsOn: [2, 3] })], present),
    stepsOf([file(1, { dependsOn: [3] })], present),
  ]
  const note = 'has started, so it cannot get new dependencies; add a new task instead'
  expect(other).toMatchObject([{ kind: 'change', changes: { title: 'New' }, note }])
  expect(other[0]).not.toHaveProperty('changes.dependsOn')
  expect(same).toMatchObject([{ kind: 'keep', id: 1, note }])
  expect(fewer).toMatchObject([{ kind: 'change', changes: { dependsOn: [] }, note }])
})

test('a started task cannot join another group but may leave its own', () => {
  const present = [filed(1, { ...from(1), group: 1 }, 'blocked')]
  const note = 'has started, so it cannot join another group; add a new task instead'
  expect(stepsOf([file(1, { group: 2 })], present)).toMatchObject([{ kind: 'keep', id: 1, note }])
  expect(stepsOf([file(1)], present)).toMatchObject([{ kind: 'change', changes: { group: null } }])
  const both = stepsOf([file(1, { group: 2, dependsOn: [2] })], [...present, filed(2, from(2))])
  const order = 'has started, so it cannot get new dependencies; add a new task instead'
  expect(both).toMatchObject([{ kind: 'keep', id: 1, note: `${order}; ${note}` }])
})
