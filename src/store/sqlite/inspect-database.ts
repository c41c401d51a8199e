/** Inspects a database file without changing it. It does not even migrate an older one. */
import { latestVersion, schemaVersion } from './migrations.ts'
import { openConnection } from './sqlite-driver.ts'
import { explained, newerSchema } from './sqlite-error.ts'

export interface Inspection {
  version: number
  latest: number
  /** What SQLite finds wrong with the file. Empty if it is sound. */
  faults: string[]
}

/**
 * `full` also compares every index with its table, which takes long for a large file. Throws UserError if the file
 * can't be read.
 */
export async function inspectDatabase(path: string, depth: 'quick' | 'full'): Promise<Inspection> {
  try {
    const connection = await openConnection(path, 'read')
    try {
      connection.exec('PRAGMA busy_timeout = 5000')
      const version = schemaVersion(connection)
      if (version > latestVersion) throw newerSchema(path, version, latestVersion)
      const pragma = depth === 'full' ? 'integrity_check' : 'quick_check'
      const rows = connection.sql<Record<string, string>>(`PRAGMA ${pragma}(10)`).all()
      const faults = rows.flatMap((row) => Object.values(row)).filter((text) => text !== 'ok')
      return { version, latest: latestVersion, faults }
    } finally {
      connection.close()
    }
  } catch (error) {
    throw explained(error, path)
  }
}
