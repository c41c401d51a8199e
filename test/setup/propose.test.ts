import { describe, expect, test } from 'vitest'
import { findLocalFiles } from '../../src/setup/toolchains/local-files.ts'
import { proposed } from './project.ts'

describe('a project of several languages', () => {
  test('gets the gates of all of them, each with its own name', () => {
    const files = {
      'package.json': '{"scripts":{"test":"x","lint":"y"}}',
      'pyproject.toml': '[project]\n[tool.ruff]\n[tool.pytest.ini_options]\n',
      'go.mod': '',
    }
    const { found, gates, setup } = proposed(files)
    expect(found).toEqual(['JavaScript (npm)', 'Python (.venv)', 'Go'])
    expect(gates).toEqual({
      test: 'npm test',
      'test-python': '.venv/bin/pytest',
      'test-go': 'go test ./...',
      lint: 'npm run lint',
      'lint-python': '.venv/bin/ruff check .',
      'lint-go': 'go vet ./...',
    })
    expect(setup).toEqual(['python3 -m venv .venv', '.venv/bin/pip install -q -e . pytest ruff'])
  })

  test('gives the plain gate name to the first language that has such a gate', () => {
    expect(proposed({ 'package.json': '{}', 'go.mod': '' }).gates).toEqual({
      test: 'go test ./...',
      lint: 'go vet ./...',
    })
  })

  test('is found in subfolders when there is nothing at the top', () => {
    const files = {
      'frontend/package.json': '{"scripts":{"test":"x"}}',
      'frontend/package-lock.json': '',
      'backend/go.mod': '',
      'examples/a/package.json': '{}',
      'docs/requirements.txt': 'sphinx',
      'not a word/go.mod': '',
    }
    expect(proposed(files, { ignored: [] })).toMatchObject({
      found: ['Go in backend', 'JavaScript (npm) in frontend'],
      gates: {
        test: 'cd backend && go test ./...',
        'test-frontend': 'cd frontend && npm test',
        lint: 'cd backend && go vet ./...',
      },
      setup: ['cd frontend && npm ci'],
      unignored: ['frontend/node_modules'],
    })
  })
})

test('proposes nothing for an unknown project', () => {
  expect(proposed(['README.md'])).toEqual({
    found: [],
    gates: {},
    setup: [],
    copy: [],
    link: [],
    needs: [],
    unignored: [],
  })
})

test('submodules are fetched before anything else', () => {
  expect(proposed(['.gitmodules', 'App.sln']).setup).toEqual([
    'git submodule update --init --recursive',
    'dotnet restore',
  ])
})

describe('copies files that exist only on this machine', () => {
  test('such as settings and keys, in any folder', () => {
    const untracked = ['.env', '.env.local', 'web/.env', 'config/master.key', 'local.properties']
    expect(findLocalFiles(untracked)).toEqual(untracked.toSorted())
    expect(proposed(['README.md'], { untracked }).copy).toHaveLength(5)
  })

  test('but no backups, examples, folders, or files of git or Umpire', () => {
    const others = [
      '.env~',
      '.env.swp',
      '.env.bak',
      '.env.example',
      '.env/',
      'notes.txt',
      'env',
      'node_modules/',
    ]
    expect(findLocalFiles([...others, '.git/.env', '.umpire/x/.env', '.GIT/.env'])).toEqual([])
  })

  test('but no files with unusual names, and never very many', () => {
    expect(findLocalFiles(['a b/.env', 'x"\n/.env', '../.env', '/.env', 'ü/.env'])).toEqual([])
    const many = Array.from({ length: 40 }, (_, index) => `p${index}/.env`)
    expect(findLocalFiles(many)).toHaveLength(10)
  })
})
