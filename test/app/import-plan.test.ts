/** Imports that are killed halfway, and tasks that the library may add. */
import { afterEach, expect, test } from 'vitest'
import { openOrCreateStore, openRepository } from '../../src/app/repository.ts'
import { findCycle } from '../../src/core/schedule/dependencies.ts'
import { openUmpire } from '../../src/library/umpire.ts'
import { importPlan } from '../../src/plan/import-plan.ts'
import type { Journal } from '../../src/store/journal.ts'
import type { Store } from '../../src/store/store.ts'
import { makeRepository, type TestRepository } from '../support/repository.ts'

const made: TestRepository[] = []
afterEach(() => {
  for (const repository of made.splice(0)) repository.remove()
})

function planned(files: Record<string, string>): TestRepository {
  const repository = makeRepository({ 'README.md': '# Example\n', ...files })
  made.push(repository)
  return repository
}

const file = (keys: string, title: string) => `---\n${keys}\n---\n# ${title}\n`

/** Every kind of change in one import: new tasks, changed tasks, and two that swap places. */
const before = {
  'plans/1.md': file('task: 1', 'One'),
  'plans/2.md': file('task: 2\ndepends_on: [1]', 'Two'),
}
const after = {
  'plans/1.md': file('task: 1\ndepends_on: [2, 4]', 'First'),
  'plans/2.md': file('task: 2\ndepends_on: [3]', 'Two'),
  'plans/3.md': file('task: 3\ndepends_on: [4]', 'Three'),
  'plans/4.md': file('task: 4', 'Four'),
}

class Killed extends Error {}

/** The real store, which fails after this many appends. */
function endingAfter(store: Store, appends: number): Store {
  let left = appends
  const journal = { ...store.journal }
  journal.append = async (...args) => {
    if (left === 0) throw new Killed()
    left -= 1
    return store.journal.append(...args)
  }
  return { ...store, journal }
}

test('the next import completes one that was killed between any two writes, without duplicates', async () => {
  let whole = false
  for (let appends = 0; !whole; appends++) {
    const { root, write } = planned(before)
    const repository = await openRepository(root, process.env)
    const store = await openOrCreateStore(repository)
    try {
      const paths = [`${root}/plans`]
      await importPlan(paths, root, store, repository)
      write(after)
      whole = await importPlan(paths, root, endingAfter(store, appends), repository).then(
        () => true,
        (error: unknown) => {
          if (error instanceof Killed) return false
          throw error
        },
      )
      // There is never a cycle of tasks, not even halfway.
      const standing = await store.archive.tasks()
      expect(standing.flatMap(({ id }) => findCycle(standing, id) ?? [])).toEqual([])
      const { tasks } = await importPlan(paths, root, store, repository)
      expect(new Set(tasks.map(({ id }) => id)).size).toBe(4)
      if (whole) expect(tasks.map(({ did }) => did)).toEqual(Array(4).fill('unchanged'))
      const filed = await store.archive.tasks()
      expect(filed.map(({ id, title, dependsOn }) => ({ id, title, dependsOn }))).toEqual([
        { id: 1, title: 'First', dependsOn: [2, 3] },
        { id: 2, title: 'Two', dependsOn: [4] },
        { id: 3, title: 'Four', dependsOn: [] },
        { id: 4, title: 'Three', dependsOn: [3] },
      ])
    } finally {
      await store.close()
    }
  }
})

test('reports all problems at once: one problem hides no others in the same file or in other files', async () => {
  const { root } = planned({
    'plans/6.md': file('task: 6\ncolour: red\ndepends_on: [77]', 'Six'),
    'plans/7.md': file('task: 7\nmax_cycles: none\nagent: nobody-knows-it', 'Seven'),
    'plans/8.md': '---\ntask: 8 # of many\ntitle: "no end\n---\n',
    'plans/9.md': file('task: 9\ndepends_on: [6, 7, 8]\nagent: nobody-knows-it', 'Nine'),
  })
  const repository = await openRepository(root, process.env)
  const store = await openOrCreateStore(repository)
  try {
    const said = await importPlan([`${root}/plans`], root, store, repository).then(
      () => 'imported',
      (error: Error) => error.message.replaceAll(`${root}/`, ''),
    )
    expect(said.split('\n').map((line) => line.slice(0, 60))).toEqual([
      '5 problems, so nothing was imported:',
      expect.stringMatching(/^plans\/6\.md:3: colour: unknown key/),
      expect.stringMatching(/^plans\/7\.md:3: max_cycles: must be a whole number/),
      expect.stringMatching(/^plans\/8\.md:/),
      'plans/6.md:4: depends_on: there is no task 77 in this plan',
      expect.stringMatching(/^plans\/9\.md: .*nobody-knows-it/),
    ])
    expect(await store.archive.tasks()).toEqual([])
  } finally {
    await store.close()
  }
})

test('two processes that import the same plan at once create no duplicate tasks', async () => {
  const { root } = planned(after)
  const repository = await openRepository(root, process.env)
  const [one, other] = [await openOrCreateStore(repository), await openOrCreateStore(repository)]
  try {
    const paths = [`${root}/plans`]
    // The other process imports when this one has checked and is about to write.
    let isFirst = true
    const journal: Journal = { ...one.journal }
    journal.nextId = async (kind) => {
      const id = await one.journal.nextId(kind)
      if (isFirst) {
        isFirst = false
        await importPlan(paths, root, other, repository)
      }
      return id
    }
    await expect(importPlan(paths, root, { ...one, journal }, repository)).rejects.toThrow(
      'Another process is importing the plan plans right now.',
    )
    await importPlan(paths, root, one, repository)
    expect((await one.archive.tasks()).map(({ title }) => title)).toEqual(['Four', 'Three', 'Two', 'First'])
  } finally {
    await one.close()
    await other.close()
  }
})

test('the library adds tasks with dependencies and groups, and refuses those that could never start', async () => {
  const { root } = planned({})
  const umpire = await openUmpire({ cwd: root })
  try {
    await umpire.add({ title: 'First', group: 2 })
    expect(await umpire.add({ title: 'Second', dependsOn: [1], group: 3 })).toBe(2)
    expect(await umpire.task(2)).toMatchObject({ dependsOn: [1], group: 3 })
    await expect(umpire.add({ title: 'X', dependsOn: [9] })).rejects.toThrow(
      'There is no task 9 to depend on.',
    )
    await expect(umpire.add({ title: 'X', dependsOn: [1], group: 1 })).rejects.toThrow('wait for each other')
    await expect(umpire.add({ title: 'X', group: 0 })).rejects.toThrow('group')
    expect(await umpire.tasks()).toHaveLength(2)
  } finally {
    await umpire.close()
  }
})
