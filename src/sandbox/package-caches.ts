import { isAbsolute, join } from 'node:path'

/**
 * Caches in the home folder that a developer's tools fill when they download or build something. Some tools keep
 * programs or settings next to them, such as `.npm/_npx` and `.gradle/init.d`. Only the caches themselves are listed.
 */
const belowHome = [
  '.cache',
  '.npm/_cacache',
  '.npm/_logs',
  '.yarn/berry',
  '.bun/install/cache',
  '.local/share/pnpm/store',
  '.cargo/registry',
  '.cargo/git',
  'go/pkg',
  '.gradle/caches',
  '.m2/repository',
  '.nuget/packages',
  '.composer/cache',
  '.bundle/cache',
]

/** Variables by which users move a cache, and which part of the folder is the cache. */
const byVariable: Record<string, string[]> = {
  XDG_CACHE_HOME: [''],
  npm_config_cache: ['_cacache', '_logs'],
  GOCACHE: [''],
  GOMODCACHE: [''],
  GRADLE_USER_HOME: ['caches'],
}

/** Programs inside the caches that are run later, such as a git hook or a browser for tests. */
const programs = ['pre-commit', 'puppeteer', 'ms-playwright', 'node/corepack']

/** The user's package caches. Missing ones are not needed. */
export function packageCaches(env: Record<string, string>): string[] {
  return [
    ...below(env.HOME, belowHome),
    ...Object.entries(byVariable).flatMap(([name, parts]) => below(env[name], parts)),
  ]
}

/** The parts of these caches that are read-only. */
export function cachedPrograms(env: Record<string, string>): string[] {
  return [env.XDG_CACHE_HOME, env.HOME && join(env.HOME, '.cache')].flatMap((folder) =>
    below(folder, programs),
  )
}

function below(folder: string | undefined, names: string[]): string[] {
  return folder && isAbsolute(folder) ? names.map((name) => join(folder, name)) : []
}
