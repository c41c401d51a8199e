/** A git that fails at a given call: `failed: vcs` with git's message, nothing is lost, and retry continues. */
import '../support/patient.ts'
import { expect, test } from 'vitest'
import { makeFakeGit } from '../support/fake-git.ts'
import { openBench, type Shown } from '../support/umpire.ts'

const turns = ({ sessions }: Shown) => sessions.map(({ role, status }) => `${role} ${status}`)

/** A git call by its arguments, and the folder in which it runs. */
export const places: [string, string][] = [
  ['worktree add', ''],
  // Reading what the developer did, staging it, committing it, reading the commit.
  ['status', ''],
  ['add', '.umpire/worktrees'],
  ['commit', ''],
  ['cat-file', '.umpire/worktrees'],
  // Comparing, and making the reviewer's clone.
  ['diff-tree', ''],
  ['merge-base', ''],
  ['reset', '.umpire/clones'],
]

export function describeFailingGit(at: [string, string][]): void {
  test('a git call that fails anywhere fails the task with git’s message, and retry finishes once git works', async () => {
    const bench = openBench({})
    // Umpire has to ask git for a base branch without a ref file of its own, and that needs the merge base.
    bench.git('pack-refs', '--all')
    const fake = makeFakeGit(bench.folder)
    const env = { PATH: fake.env.PATH ?? '' }
    for (const [words, folder] of at) {
      const before = bench.played().length
      const id = await bench.add(`Need git ${words}`)
      fake.when(words, `case $PWD in *"${folder}"*) echo "fatal: the moon is full" >&2; exit 3;; esac`)
      const first = await bench.call(['work'], { env })
      expect(first).toMatchObject({ code: 1, stderr: '' })
      expect(`${words}: ${first.stdout}`).toContain('(exit code 3): fatal: the moon is full')
      expect(await bench.show(id)).toMatchObject({ status: 'failed', reason: 'vcs', verdict: null })
      fake.when(words, ':')
      expect((await bench.umpire('retry', String(id))).code).toBe(0)
      expect(await bench.call(['work'], { env })).toMatchObject({ code: 0, stderr: '' })
      const shown = await bench.show(id)
      expect(shown).toMatchObject({ status: 'completed', verdict: 'APPROVED', cycle: 1 })
      expect(`${words}: ${turns(shown)}`).toBe(`${words}: developer done,reviewer done`)
      // No agent was paid twice.
      expect(bench.played().length - before).toBe(2)
      expect(bench.git('rev-list', '--count', `main..${shown.branch}`)).toBe('1')
      expect(bench.git('show', `${shown.branch}:work-${id}.txt`)).toBe('iteration 1')
    }
  })
}
