import { readFileSync } from 'node:fs'
import { packageRoot } from '../lib/file/package-files.ts'

/** Reads the version of this package from package.json, the only place that has it. */
export function readVersion(): string {
  return JSON.parse(readFileSync(`${packageRoot()}/package.json`, 'utf8')).version
}
