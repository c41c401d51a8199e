import { describe, expect, test } from 'vitest'
import { proposed } from './project.ts'

const manifest = (more: object = {}) =>
  JSON.stringify({
    scripts: { test: 'vitest run', lint: 'eslint .' },
    devDependencies: { vitest: '1' },
    ...more,
  })

describe('the lock file says which package manager is used', () => {
  test.each([
    ['package-lock.json', 'npm', 'npm ci', 'npm test', 'npm run lint'],
    ['npm-shrinkwrap.json', 'npm', 'npm ci', 'npm test', 'npm run lint'],
    ['pnpm-lock.yaml', 'pnpm', 'pnpm install --frozen-lockfile', 'pnpm run test', 'pnpm run lint'],
    ['yarn.lock', 'yarn', 'yarn install --frozen-lockfile', 'yarn run test', 'yarn run lint'],
    ['bun.lock', 'bun', 'bun install --frozen-lockfile', 'bun run test', 'bun run lint'],
    ['bun.lockb', 'bun', 'bun install --frozen-lockfile', 'bun run test', 'bun run lint'],
  ])('%s: %s', (lock, name, setup, testCommand, lint) => {
    expect(proposed({ 'package.json': manifest(), [lock]: '' })).toMatchObject({
      found: [`JavaScript (${name})`],
      gates: { test: testCommand, lint },
      setup: [setup],
      link: [],
      needs: [name],
    })
  })

  test('a newer yarn uses another flag for a frozen lock file', () => {
    const files = { 'package.json': manifest(), 'yarn.lock': '' }
    expect(proposed({ ...files, '.yarnrc.yml': '' }).setup).toEqual(['yarn install --immutable'])
    const named = { ...files, 'package.json': manifest({ packageManager: 'yarn@4.1.0' }) }
    expect(proposed(named).setup).toEqual(['yarn install --immutable'])
  })

  test('without a lock file it is the packageManager field, and otherwise npm', () => {
    expect(proposed({ 'package.json': manifest({ packageManager: 'pnpm@9.0.0' }) }).setup).toEqual([
      'pnpm install --no-lockfile',
    ])
    expect(proposed({ 'package.json': manifest() }).setup).toEqual(['npm install --no-package-lock'])
  })
})

describe('packages without a lock file', () => {
  const installed = { untracked: ['node_modules/'] }

  test('are linked from the person’s checkout, which has versions that work', () => {
    expect(proposed({ 'package.json': manifest() }, installed)).toMatchObject({
      setup: [],
      link: ['node_modules'],
    })
  })

  test('are installed if workspace links would lead back into the person’s checkout', () => {
    const workspaces = { 'package.json': manifest({ workspaces: ['packages/*'] }) }
    expect(proposed(workspaces, installed)).toMatchObject({
      setup: ['npm install --no-package-lock'],
      link: [],
    })
    const folders = { 'package.json': manifest(), 'packages/a/package.json': '{}' }
    expect(proposed(folders, installed).link).toEqual([])
  })

  test('need no setup when the project has no dependencies', () => {
    const { setup, link, gates } = proposed({ 'package.json': manifest({ devDependencies: {} }) }, installed)
    expect({ setup, link, gates }).toEqual({
      setup: [],
      link: [],
      gates: { test: 'npm test', lint: 'npm run lint' },
    })
  })
})

describe('scripts', () => {
  const gates = (scripts: unknown) => proposed({ 'package.json': JSON.stringify({ scripts }) }).gates

  test('the placeholder of npm init is not a test', () => {
    expect(gates({ test: 'echo "Error: no test specified" && exit 1' })).toEqual({})
    expect(gates({ test: '  ' })).toEqual({})
    expect(gates({ lint: 'eslint .' })).toEqual({ lint: 'npm run lint' })
  })

  test('a script that would watch forever gets CI=true', () => {
    expect(gates({ test: 'react-scripts test' }).test).toBe('CI=true npm test')
    expect(gates({ test: 'jest --watch' }).test).toBe('CI=true npm test')
    expect(gates({ test: 'jest --watchAll=false' }).test).toBe('npm test')
  })

  test('other common names are found, and uncommon ones are not guessed', () => {
    expect(gates({ 'test:unit': 'vitest run', 'lint:check': 'x' })).toEqual({
      test: 'npm run test:unit',
      lint: 'npm run lint:check',
    })
    expect(gates({ 'test; rm -rf /': 'x', verify: 'y' })).toEqual({})
  })

  test.each(['', 'no json', '[]', 'null', '{"scripts":"x"}', '{"scripts":{"test":1}}', '{"scripts":null}'])(
    'a package.json of %j proposes nothing',
    (text) => {
      expect(proposed({ 'package.json': text })).toMatchObject({ gates: {}, setup: [], needs: [] })
    },
  )
})

test('reports a package folder that git does not ignore', () => {
  const files = { 'package.json': manifest(), 'package-lock.json': '' }
  expect(proposed(files, { ignored: [] }).unignored).toEqual(['node_modules'])
  expect(proposed(files).unignored).toEqual([])
})
