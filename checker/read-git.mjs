/** Asks git questions. Runs git with an argument list, without locks, in a clean environment. */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

/** Variables that would point git at another repository, or make it show other objects than are there. */
const misleading = /^GIT_(DIR|WORK_TREE|COMMON_DIR|INDEX_FILE|NAMESPACE|.*OBJECT.*|GRAFT_FILE|SHALLOW_FILE)$/

export function openGit(folder) {
  const kept = Object.entries(process.env).filter(([name]) => !misleading.test(name))
  const env = {
    ...Object.fromEntries(kept),
    LC_ALL: 'C',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_REPLACE_OBJECTS: '1',
  }

  function run(args, input = '') {
    try {
      const options = { env, input, stdio: 'pipe', maxBuffer: 1 << 30 }
      return execFileSync('git', ['-C', folder, ...args], options)
    } catch (error) {
      const words = error.stderr?.toString().trim() || error.message
      throw new Error(`git ${args[0]} failed: ${words}`)
    }
  }
  const lines = (args) =>
    run(args)
      .toString('utf8')
      .split('\n')
      .filter((line) => line !== '')

  const known = new Map()
  let branches
  return {
    /** The database is in the main checkout, even if `folder` is a linked worktree. */
    database() {
      const [common = '', top = folder] = lines(['rev-parse', '--git-common-dir', '--show-toplevel'])
      const places = [top, dirname(resolve(folder, common))].map((root) => join(root, '.umpire', 'umpire.db'))
      return places.find((file) => existsSync(file)) ?? places[0]
    },

    /** The commit of a branch, or undefined when there is no such branch. */
    head(branch) {
      branches ??= new Map(
        lines(['for-each-ref', '--format=%(objectname) %(refname)', 'refs/heads/']).map((line) => {
          const [, sha, ref] = /^(\S+) (.+)$/.exec(line)
          return [ref, sha]
        }),
      )
      return branches.get(`refs/heads/${branch}`)
    },

    /** Reads these commits with one git process. */
    fetch(shas) {
      const asked = [...new Set(shas)].filter((sha) => isSha(sha) && !known.has(sha))
      if (asked.length === 0) return
      const found = readCommits(run(['cat-file', '--batch'], `${asked.join('\n')}\n`), asked.length)
      for (const [index, sha] of asked.entries()) known.set(sha, found[index])
    },

    /** Tree, parents and message of a commit, or null when it is not there. */
    commit(sha) {
      this.fetch([sha])
      return known.get(sha) ?? null
    },

    /** Whether one commit is the other, or comes after it. */
    contains(sha, other) {
      return sha === other || lines(['rev-list', '-1', other, `^${sha}`, '--']).length === 0
    },

    /** The commits that none of the others contains. Commits that are not in the repository are left out. */
    missing(shas, others) {
      this.fetch([...shas, ...others])
      const wanted = [...new Set(shas)].filter((sha) => known.get(sha))
      const there = others.filter((sha) => known.get(sha))
      if (wanted.length === 0) return []
      const limits = there.map((sha) => `^${sha}`)
      const outside = new Set(lines(['rev-list', '--no-walk=unsorted', ...wanted, ...limits, '--']))
      return outside.size === 0
        ? []
        : wanted.filter((sha) => there.every((other) => !this.contains(other, sha)))
    },

    /** The files that the first tree has and the other does not. None if the first tree no longer exists. */
    lost(tree, other) {
      if (!isSha(tree)) return []
      const [said = ''] = run(['cat-file', '--batch-check'], `${tree}\n`).toString('utf8').split('\n')
      if (said.endsWith(' missing')) return []
      const only = ['--no-renames', '--diff-filter=D', '--name-only']
      return run(['diff-tree', '-r', '-z', ...only, tree, other])
        .toString('utf8')
        .split('\0')
        .filter((path) => path !== '')
    },

    /** The commits that can be reached from these and not from the base, each with its parents. */
    graph(base, ...tips) {
      const rows = lines(['rev-list', '--parents', ...new Set(tips), `^${base}`, '--'])
      return new Map(rows.map((row) => row.split(' ')).map(([sha, ...parents]) => [sha, parents]))
    },
  }
}

const isSha = (text) => /^[0-9a-f]{40,64}$/.test(text)

/** For each commit git prints a line with name, type and size, then the object. A missing one gets only one line. */
function readCommits(output, count) {
  let at = 0
  return Array.from({ length: count }, () => {
    const end = output.indexOf('\n', at)
    const [, type, size] = output.toString('utf8', at, end).split(' ')
    at = end + 1
    if (size === undefined) return null
    const text = output.toString('utf8', at, at + Number(size))
    at += Number(size) + 1
    if (type !== 'commit') return null
    const split = text.indexOf('\n\n')
    const head = text.slice(0, split)
    const parents = [...head.matchAll(/^parent ([0-9a-f]+)$/gm)].map(([, parent]) => parent)
    return { tree: /^tree ([0-9a-f]+)$/m.exec(head)?.[1], parents, message: text.slice(split + 2) }
  })
}
