import { readFileSync } from 'node:fs'
import { packageRoot } from '../lib/file/package-files.ts'

/** The version of this package, from the one place where it is written. */
export function readVersion(): string {
  return JSON.parse(readFileSync(`${packageRoot()}/package.json`, 'utf8')).version
}
