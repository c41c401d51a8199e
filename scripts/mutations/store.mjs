/** The journal and its database. */
/** @type {import('../mutations.mjs').Mutation[]} */
export const store = [
  {
    name: 'an append counts although the stream has moved on',
    replace: 'if (version !== expectedVersion) throw new ConflictError',
    by: 'if (version < 0) throw new ConflictError',
    tests: ['test/store'],
  },
  {
    name: 'a writer reads before it takes the lock',
    replace: "transact('BEGIN IMMEDIATE', work)",
    by: "transact('BEGIN', work)",
    tests: ['test/store'],
  },
  {
    name: 'a transaction that failed half-way is kept',
    replace: "connection.exec('ROLLBACK')",
    by: "connection.exec('COMMIT')",
    tests: ['test/store'],
  },
  {
    name: 'what was paid for does not wait for the disk',
    replace: "added.some(isPrecious) ? 'durable' : 'lazy'",
    by: "added.every(isPrecious) ? 'lazy' : 'lazy'",
    tests: ['test/store'],
  },
  {
    name: 'a database of a newer format is written',
    replace: 'if (found !== latestVersion) throw',
    by: 'if (found < latestVersion) throw',
    tests: ['test/store'],
  },
  {
    name: 'everybody may read the database',
    replace: "await (await open(path, 'wx', 0o600))",
    by: "await (await open(path, 'wx', 0o644))",
    tests: ['test/store'],
  },
]
