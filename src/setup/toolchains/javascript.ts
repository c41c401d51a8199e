/** JavaScript and TypeScript. The lock file says which package manager is used. */
import {
  type DetectToolchain,
  firstOf,
  hasAny,
  hasLike,
  type ProjectFiles,
  textOf,
  toolchain,
} from './toolchain.ts'

interface Manager {
  name: string
  locks: string[]
  /** Installs exactly what the lock file says. */
  install: string
  /** Installs without a lock file. It must not create one, because that would be committed with the first task. */
  installUnlocked: string
  run: (script: string) => string
}

const managers: Manager[] = [
  {
    name: 'bun',
    locks: ['bun.lock', 'bun.lockb'],
    install: 'bun install --frozen-lockfile',
    installUnlocked: 'bun install --no-save',
    run: (script) => `bun run ${script}`,
  },
  {
    name: 'pnpm',
    locks: ['pnpm-lock.yaml'],
    install: 'pnpm install --frozen-lockfile',
    installUnlocked: 'pnpm install --no-lockfile',
    run: (script) => `pnpm run ${script}`,
  },
  {
    name: 'yarn',
    locks: ['yarn.lock'],
    install: 'yarn install --frozen-lockfile',
    installUnlocked: 'yarn install --no-lockfile',
    run: (script) => `yarn run ${script}`,
  },
]

const npm: Manager = {
  name: 'npm',
  locks: ['package-lock.json', 'npm-shrinkwrap.json'],
  install: 'npm ci',
  installUnlocked: 'npm install --no-package-lock',
  run: (script) => (script === 'test' ? 'npm test' : `npm run ${script}`),
}

const testScripts = ['test', 'test:unit', 'test:ci']
const lintScripts = ['lint', 'lint:check', 'eslint']

export const detectJavaScript: DetectToolchain = (project) => {
  if (!hasAny(project, 'package.json')) return null
  const manifest = readManifest(textOf(project, 'package.json'))
  const manager = findManager(project, manifest.packageManager)
  const { setup, link } = needsOf(project, manager, manifest)
  const command = (names: string[]) => {
    const name = names.find((each) => isReal(manifest.scripts[each]))
    if (name === undefined) return null
    // Some test runners wait for changes for ever unless CI is set.
    const watches = /react-scripts test|--watch(All)?\b(?!=false)/.test(manifest.scripts[name] ?? '')
    return `${watches ? 'CI=true ' : ''}${manager.run(name)}`
  }
  const test = command(testScripts)
  const lint = command(lintScripts)
  return toolchain({
    language: 'javascript',
    title: `JavaScript (${manager.name})`,
    test,
    lint,
    setup,
    link,
    needs: setup.length > 0 || test !== null || lint !== null ? [manager.name] : [],
    fills: setup.length > 0 ? 'node_modules' : null,
  })
}

interface Manifest {
  scripts: Record<string, string>
  packageManager: string
  hasDependencies: boolean
  hasWorkspaces: boolean
}

/** A file that is not JSON, or not the expected JSON, counts as empty. */
function readManifest(text: string): Manifest {
  const read = asRecord(parse(text))
  const scripts = Object.entries(asRecord(read.scripts)).flatMap(([name, script]) =>
    typeof script === 'string' ? [[name, script] as const] : [],
  )
  const groups = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies']
  return {
    scripts: Object.fromEntries(scripts),
    packageManager: typeof read.packageManager === 'string' ? read.packageManager : '',
    hasDependencies: groups.some((group) => Object.keys(asRecord(read[group])).length > 0),
    hasWorkspaces: read.workspaces !== undefined,
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {}
}

/** The script that `npm init` writes only says that there are no tests. */
function isReal(script: string | undefined): boolean {
  return script !== undefined && script.trim() !== '' && !script.includes('no test specified')
}

function findManager(project: ProjectFiles, wanted: string): Manager {
  const all = [...managers, npm]
  const locked = all.find(({ locks }) => firstOf(project, ...locks) !== null)
  const found = locked ?? all.find(({ name }) => wanted.startsWith(`${name}@`)) ?? npm
  // From version 2 on, yarn has another flag for the same thing.
  const isModern = hasAny(project, '.yarnrc.yml') || /^yarn@([2-9]|\d\d)/.test(wanted)
  return found.name === 'yarn' && isModern ? { ...found, install: 'yarn install --immutable' } : found
}

function needsOf(
  project: ProjectFiles,
  manager: Manager,
  { hasDependencies, hasWorkspaces }: Manifest,
): { setup: string[]; link: string[] } {
  if (firstOf(project, ...manager.locks) !== null) return { setup: [manager.install], link: [] }
  if (!hasDependencies && !hasWorkspaces) return { setup: [], link: [] }
  // Without a lock file, only the person's own node_modules has the versions that are known to work. But with workspaces it
  // links back into the person's checkout, so that its code would be tested instead of the task's.
  const installed = project.untracked.includes('node_modules/')
  const isOnePackage = !hasWorkspaces && !hasLike(project, /^packages\/[^/]+\/package\.json$/)
  if (installed && isOnePackage) return { setup: [], link: ['node_modules'] }
  return { setup: [manager.installUnlocked], link: [] }
}
