/** Translates SQLite's error codes into messages for people. */
import { statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { StoreError } from '../../core/errors.ts'

const busy = 5
const protocol = 15
const cantOpen = 14

/** Another process holds a lock, so a retry helps. `protocol` is a lost race for the locks of the write-ahead log. */
export function isBusy(error: unknown): boolean {
  const code = primaryCode(error)
  return code === busy || code === protocol
}

/** The file, or one of SQLite's side files, can't be opened. */
export function isUnopenable(error: unknown): boolean {
  return primaryCode(error) === cantOpen
}

/**
 * The error as a message for people. Errors that are not SQLite's, or that are our own mistake, are returned unchanged.
 */
export function explained(error: unknown, path: string): unknown {
  const code = primaryCode(error)
  if (!(error instanceof Error) || code === null) return error
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return folderInstead(path)
  switch (code) {
    case busy:
    case protocol:
      return new StoreError(
        `Another program has locked the database ${path}.`,
        'If an umpire process was suspended with Ctrl-Z, resume or end it. Then try again. Nothing was lost.',
      )
    case 3: // PERM
    case 8: // READONLY
    case 23: // AUTH
      return readOnly(path, error.message)
    case cantOpen: {
      const told = new StoreError(
        `The database ${path} can't be opened (${error.message}).`,
        `Check that ${dirname(path)} is a folder that you may read and write.`,
      )
      told.cause = error
      return told
    }
    case 10: // IOERR
      // The index of the write-ahead log is mapped memory. If it can't grow, SQLite does not say why.
      if (isFull(path)) return diskFull(path)
      return new StoreError(
        `The disk failed to read or write the database ${path} (${error.message}).`,
        'Check the disk and its file system, then try again. What was recorded before is kept.',
      )
    case 13: // FULL
      return diskFull(path)
    case 11: // CORRUPT
    case 26: // NOTADB
      return new StoreError(
        `The database ${path} is damaged (${error.message}).`,
        `Restore a backup, or move the file away to start over: mv ${path} ${path}.damaged. ` +
          'This does not touch branches and worktrees.',
      )
    default:
      return error
  }
}

/** The same messages for errors of the file system before SQLite is involved. */
export function explainedFileError(error: unknown, path: string): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error
  switch (error.code) {
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return readOnly(path, error.message)
    case 'ENOSPC':
    case 'EDQUOT':
      return diskFull(path)
    case 'ENOTDIR':
    case 'EEXIST':
    case 'EISDIR':
      return new StoreError(
        `The database ${path} can't be created (${error.message}).`,
        'Move away what is at this path, then try again.',
      )
    default:
      return error
  }
}

export function newerSchema(path: string, found: number, known: number): StoreError {
  return new StoreError(
    `A newer Umpire wrote the database ${path} (its format is ${found}; this version supports up to ${known}).`,
    'Update Umpire: npm install -g umpire@latest. Nothing was changed.',
  )
}

function readOnly(path: string, detail: string): StoreError {
  return new StoreError(
    `The database ${path} can't be written (${detail}).`,
    `Make ${dirname(path)} and the files in it writable for your user, then try again.`,
  )
}

function folderInstead(path: string): StoreError {
  return new StoreError(
    `The database ${path} can't be opened: a folder is in its place.`,
    `Move it away, then try again: mv ${path} ${path}.folder`,
  )
}

function diskFull(path: string): StoreError {
  return new StoreError(
    `The disk is full, so the database ${path} can't grow.`,
    'Free some space, then try again. What was recorded before is kept.',
  )
}

/** Free space below this may be what the file system reserves or can't count exactly. */
const almostNothing = 256 * 1024

function isFull(path: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(dirname(path))
    return bavail * bsize < almostNothing
  } catch {
    return false
  }
}

/** The low byte is the kind of error. The rest only adds detail. */
function primaryCode(error: unknown): number | null {
  if (!(error instanceof Error)) return null
  if ('errcode' in error && typeof error.errcode === 'number') return error.errcode & 0xff
  // `all` and `iterate` of @photostructure/sqlite give SQLite's message without its code.
  if ('code' in error && error.code === 'ERR_SQLITE_ERROR') return codesByWords.get(error.message) ?? null
  return null
}

const codesByWords = new Map([
  ['database is locked', busy],
  ['locking protocol', protocol],
  ['attempt to write a readonly database', 8],
  ['disk I/O error', 10],
  ['database disk image is malformed', 11],
  ['database or disk is full', 13],
  ['unable to open database file', 14],
  ['file is not a database', 26],
])
