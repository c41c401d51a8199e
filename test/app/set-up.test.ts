/** The configuration written for each kind of project loads without a problem, and contains what was found. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { openRepository } from '../../src/app/repository.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import { findSetup, writeSetup } from '../../src/setup/set-up.ts'
import { makeRepository, type TestRepository } from '../support/repository.ts'

const made: TestRepository[] = []

afterEach(() => {
  for (const repository of made.splice(0)) repository.remove()
})

const node = '{"scripts":{"test":"x","lint":"y"}}'

const projects: [name: string, files: Record<string, string>, gates: object, setup: string[]][] = [
  [
    'npm',
    { 'package.json': node, 'package-lock.json': '' },
    { test: 'npm test', lint: 'npm run lint' },
    ['npm ci'],
  ],
  [
    'pnpm',
    { 'package.json': node, 'pnpm-lock.yaml': '' },
    { test: 'pnpm run test', lint: 'pnpm run lint' },
    ['pnpm install --frozen-lockfile'],
  ],
  [
    'requirements',
    { 'requirements.txt': 'pytest\n', 'a.py': '' },
    { test: '.venv/bin/pytest' },
    ["python3 -m venv .venv && echo '*' > .venv/.gitignore", '.venv/bin/pip install -q -r requirements.txt'],
  ],
  [
    'uv',
    { 'pyproject.toml': '[project]\ndependencies = ["pytest"]\n', 'uv.lock': '' },
    { test: 'uv run --frozen pytest' },
    ['uv sync --frozen'],
  ],
  [
    'a Go workspace',
    { 'go.work': '', 'a/go.mod': '' },
    {
      test: "go list -f '{{.Dir}}/...' -m | xargs go test",
      lint: "go list -f '{{.Dir}}/...' -m | xargs go vet",
    },
    [],
  ],
  ['Rust', { 'Cargo.toml': '[package]\n' }, { test: 'cargo test', lint: 'cargo clippy --all-targets' }, []],
  ['Maven', { 'pom.xml': '', mvnw: '' }, { test: './mvnw -B test' }, []],
  ['Gradle', { 'build.gradle.kts': '' }, { test: 'gradle --no-daemon test' }, []],
  ['Ruby', { Gemfile: "gem 'rspec'\n" }, { test: 'bundle exec rspec' }, ['bundle install']],
  [
    'PHP',
    { 'composer.json': '{}', 'phpunit.xml': '' },
    { test: 'vendor/bin/phpunit' },
    ['composer install --no-interaction --no-progress'],
  ],
  ['.NET', { 'src/App.sln': '' }, { test: 'dotnet test src/App.sln' }, ['dotnet restore src/App.sln']],
  [
    'folders',
    { 'web/package.json': node, 'api/go.mod': '' },
    {
      test: 'cd api && go test ./...',
      'test-web': 'cd web && npm test',
      lint: 'cd api && go vet ./...',
      'lint-web': 'cd web && npm run lint',
    },
    [],
  ],
  ['nothing known', {}, {}, []],
]

test.each(projects)('%s', async (_, files, gates, setup) => {
  const made = await setUp(files)
  expect(await made.load()).toMatchObject({ gates, worktree: { setup, copy: [], link: [] } })
  expect(made.git('status', '--porcelain')).toBe('?? umpire.yaml')
})

async function setUp(files: Record<string, string>, untracked: Record<string, string> = {}) {
  const repository = makeRepository({ 'README.md': '', ...files })
  made.push(repository)
  repository.write(untracked)
  const { root, folder } = repository
  const opened = await openRepository(root, { ...process.env, XDG_CONFIG_HOME: join(folder, 'none') })
  const found = await findSetup(opened, null, root)
  await writeSetup(opened, found.draft)
  return { ...repository, found, load: async () => (await loadConfig(opened)).config }
}

test('copies env files that git does not track, ignored or not, but does not search ignored folders', async () => {
  const project = await setUp(
    { '.gitignore': '.env\nnode_modules/\n', 'package.json': '{"dependencies":{"x":"1"}}' },
    { '.env': 'A=1\n', 'web/.env.local': '', 'node_modules/x/.env': '', 'notes.txt': '' },
  )
  expect((await project.load()).worktree).toEqual({
    setup: [],
    copy: ['.env', 'web/.env.local'],
    link: ['node_modules'],
    ports: null,
  })
  expect(project.found.warnings.filter((warning) => warning.includes('ignored'))).toEqual([])
})

test('ignores a deleted file that git still tracks', async () => {
  const repository = makeRepository({ 'package.json': node })
  made.push(repository)
  rmSync(join(repository.root, 'package.json'))
  const env = { ...process.env, XDG_CONFIG_HOME: join(repository.folder, 'none') }
  const found = await findSetup(await openRepository(repository.root, env), null, repository.root)
  expect(found.draft.gates).toEqual([])
})
