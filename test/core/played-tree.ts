/** The worktree and the branch of a played loop, without git: a tree is a name, and a commit knows what it touched. */
import type { NewEvent } from '../../src/core/event.ts'
import type { Loop } from '../../src/core/loop.ts'
import type { Touched } from './turns.ts'

export const baseTree = 'base'

export class PlayedTree {
  private readonly commits: { tree: string; touched: Touched }[] = [{ tree: baseTree, touched: {} }]
  /** Changes in the worktree that are not committed yet. */
  private files: { tree: string; touched: Touched } = { tree: baseTree, touched: {} }

  /** The branch begins with the work of another task. */
  inherit(tree: string): void {
    this.commits.push({ tree, touched: {} })
    this.files = { tree, touched: {} }
  }

  write(tree: string, touched: Touched = {}): void {
    this.files = { tree, touched }
  }

  writeByHand(): void {
    this.write(`${this.files.tree}-by-hand`, { 'by-hand.txt': [[1, 1]] })
  }

  commit(session: string, message: string, loop: Loop): NewEvent {
    const { tree } = this.files
    this.commits.push(this.files)
    this.files = { tree, touched: {} }
    const sha = `c${this.commits.length}`
    const from = loop.work.head?.sha ?? 'c0'
    const {
      turn: { iteration },
    } = loop
    const empty = tree === baseTree
    return { type: 'loop.committed', data: { sha, tree, from, session, iteration, empty, message } }
  }

  changesSince(tree: string | null): Touched | null {
    if (tree === null) return null
    const from = this.commits.findLastIndex((commit) => commit.tree === tree)
    return Object.assign({}, ...this.commits.slice(from + 1).map((commit) => commit.touched))
  }
}
