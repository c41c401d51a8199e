/**
 * Runs a function of a TypeScript fixture in a separate process: the fixture's `main`, called with the `open` of the
 * adapter under test and the arguments. Node 20 can't read TypeScript, so both are bundled into a temporary folder.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { build, type Plugin } from 'esbuild'

export interface Program {
  readonly pid: number
  /** The next line it prints. Fails if it ends without one. */
  next(): Promise<string>
  /** All further lines until it ends. */
  rest(): Promise<string[]>
  send(line: string): void
  kill(signal: NodeJS.Signals): void
  readonly exited: Promise<number | null>
}

export interface ProgramToStart {
  fixture: string
  adapter: string
  args: string[]
  /** Run as this user, which only root can do. */
  uid?: number
}

const running = new Set<ChildProcess>()
const built = new Map<string, Promise<string>>()
let folder: string | undefined

export async function startProgram({ fixture, adapter, args, uid }: ProgramToStart): Promise<Program> {
  const key = `${fixture} ${adapter}`
  const bundle = built.get(key) ?? bundleProgram(fixture, adapter, built.size)
  built.set(key, bundle)
  const child = spawn(process.execPath, [await bundle, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
    ...(uid === undefined ? {} : { uid }),
  })
  running.add(child)
  return overChild(child)
}

/** Stops what is still running, and deletes the bundles. For `afterAll` and `afterEach`. */
export async function endPrograms(): Promise<void> {
  await Promise.all(
    [...running].map((child) => {
      const gone = new Promise((done) => child.once('exit', done))
      child.kill('SIGKILL')
      return gone
    }),
  )
}

export async function removeBundles(): Promise<void> {
  await endPrograms()
  if (folder) await rm(folder, { recursive: true, force: true })
  folder = undefined
  built.clear()
}

async function bundleProgram(fixture: string, adapter: string, index: number): Promise<string> {
  if (!folder) {
    folder = await mkdtemp(join(tmpdir(), 'umpire-programs-'))
    await chmod(folder, 0o755)
  }
  const outfile = join(folder, `program-${index}.mjs`)
  const source = `
    import { open } from ${JSON.stringify(adapter)}
    import { main } from ${JSON.stringify(resolve(import.meta.dirname, '../fixtures', fixture))}
    await main(open, ...process.argv.slice(2))
  `
  await build({
    stdin: { contents: source, resolveDir: import.meta.dirname, loader: 'ts' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    outfile,
    logLevel: 'warning',
    plugins: [packagesByPath],
  })
  return outfile
}

/** A bundle in a temporary folder can't find packages by name, so it gets their paths. */
const packagesByPath: Plugin = {
  name: 'packages-by-path',
  setup(building) {
    const { resolve: find } = createRequire(import.meta.url)
    building.onResolve({ filter: /^[^./]/ }, ({ path, kind }) => {
      if (kind === 'entry-point' || path.startsWith('node:')) return null
      return { path: find(path), external: true }
    })
  },
}

function overChild(child: ChildProcess): Program {
  const lines: string[] = []
  let tail = ''
  let ended = false
  let wake = () => {}
  const changed = () => new Promise<void>((done) => (wake = done))

  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    const parts = (tail + text).split('\n')
    tail = parts.pop() ?? ''
    lines.push(...parts)
    wake()
  })
  child.stdin?.on('error', () => {})
  const exited = new Promise<number | null>((done) => {
    child.once('close', (code) => {
      running.delete(child)
      ended = true
      wake()
      done(code)
    })
  })

  async function next(): Promise<string> {
    while (lines.length === 0) {
      if (ended) throw new Error('The program ended without another line.')
      await changed()
    }
    return lines.shift() ?? ''
  }

  return {
    pid: child.pid ?? 0,
    next,
    async rest() {
      await exited
      return lines.splice(0)
    },
    send: (line) => void child.stdin?.write(`${line}\n`),
    kill: (signal) => void child.kill(signal),
    exited,
  }
}
