/** The diff between two states of some files, as git writes it. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

export type Tree = Record<string, string | Buffer>

export function diffOf(before: Tree, after: Tree): string {
  const folder = mkdtempSync(join(tmpdir(), 'umpire-weakened-'))
  try {
    // The folders are named like the two sides in git's own diffs.
    for (const [side, tree] of Object.entries({ a: before, b: after })) {
      mkdirSync(join(folder, side))
      for (const [path, content] of Object.entries(tree)) {
        mkdirSync(dirname(join(folder, side, path)), { recursive: true })
        writeFileSync(join(folder, side, path), content)
      }
    }
    const args = ['diff', '--no-index', '--no-prefix', '-M', '--no-color', '--no-ext-diff', 'a', 'b']
    const { stdout, stderr, status } = spawnSync('git', args, { cwd: folder, encoding: 'utf8' })
    if (status !== 0 && status !== 1) throw new Error(stderr)
    return stdout.replace(/^(rename from "?)a\//gm, '$1').replace(/^(rename to "?)b\//gm, '$1')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
