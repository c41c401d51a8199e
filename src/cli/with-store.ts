/** Opens the database for a command and closes it again, even after an error. */
import {
  openExistingStore,
  openOrCreateStore,
  openRepository,
  openStoreWhenThere,
  type Repository,
} from '../app/repository.ts'
import { noTask } from '../core/errors.ts'
import type { Loop } from '../core/loop.ts'
import type { Store } from '../store/store.ts'
import type { Invocation } from './invocation.ts'

/** For commands that only read. In a repository without tasks, it calls `nothing` and creates no file. */
export async function readStore<T>(
  invocation: Invocation,
  use: (store: Store, repository: Repository) => Promise<T>,
  nothing: () => T,
): Promise<T> {
  const repository = await openRepository(invocation.cwd, invocation.env)
  const store = await openExistingStore(repository)
  if (!store) return nothing()
  try {
    return await use(store, repository)
  } finally {
    await store.close()
  }
}

/** For commands that keep reading. In a repository without tasks, it waits for the first task. */
export async function followStore(
  invocation: Invocation,
  use: (store: Store, repository: Repository) => Promise<void>,
  nothing: () => void,
): Promise<void> {
  const repository = await openRepository(invocation.cwd, invocation.env)
  let store = await openExistingStore(repository)
  if (!store) {
    nothing()
    store = await openStoreWhenThere(repository)
  }
  try {
    await use(store, repository)
  } finally {
    await store.close()
  }
}

/** For commands that write. */
export async function writeStore<T>(
  invocation: Invocation,
  use: (store: Store, repository: Repository) => Promise<T>,
): Promise<T> {
  const repository = await openRepository(invocation.cwd, invocation.env)
  const store = await openOrCreateStore(repository)
  try {
    return await use(store, repository)
  } finally {
    await store.close()
  }
}

/** For commands that read one task. */
export function readTask<T>(
  invocation: Invocation,
  id: number,
  use: (loop: Loop, store: Store, repository: Repository) => Promise<T>,
): Promise<T> {
  return readStore(
    invocation,
    async (store, repository) => use(await findLoop(id, store), store, repository),
    () => {
      throw noTask(id)
    },
  )
}

export async function findLoop(id: number, store: Store): Promise<Loop> {
  const loop = await store.archive.loop(id)
  if (!loop || loop.standing.deleted) throw noTask(id)
  return loop
}
