import { describe, expect, test } from 'vitest'
import { proposed } from './project.ts'

const project = '[project]\nname = "x"\n'

describe('who manages the environment', () => {
  test.each([
    ['uv.lock', '', 'uv sync --frozen', 'uv run --frozen pytest', 'uv'],
    ['poetry.lock', '', 'poetry install --no-interaction', 'poetry run pytest', 'poetry'],
    ['README.md', '[tool.poetry]\n', 'poetry install --no-interaction', 'poetry run pytest', 'poetry'],
    ['pdm.lock', '', 'pdm sync', 'pdm run pytest', 'pdm'],
  ])('%s %s', (file, more, setup, command, program) => {
    const text = `${project}${more}[dependency-groups]\ndev = ["pytest>=8"]\n`
    expect(proposed({ 'pyproject.toml': text, [file]: '' })).toMatchObject({
      gates: { test: command },
      setup: [setup],
      needs: [program],
    })
  })

  test('pipenv, with and without its lock file', () => {
    const files = { Pipfile: '[dev-packages]\npytest = "*"\n', 'a.py': '' }
    expect(proposed(files)).toMatchObject({
      gates: { test: 'pipenv run pytest' },
      setup: ['pipenv install --dev --skip-lock'],
    })
    expect(proposed({ ...files, 'Pipfile.lock': '' }).setup).toEqual(['pipenv sync --dev'])
  })

  test('requirements go into an environment of the checkout’s own', () => {
    const files = {
      'requirements.txt': 'flask\n',
      'requirements-dev.txt': 'pytest==8\nruff\n',
      'docs/requirements.txt': 'sphinx',
      'app.py': '',
    }
    expect(proposed(files)).toMatchObject({
      found: ['Python (.venv)'],
      gates: { test: '.venv/bin/pytest', lint: '.venv/bin/ruff check .' },
      setup: [
        'python3 -m venv .venv',
        '.venv/bin/pip install -q -r requirements-dev.txt -r requirements.txt',
      ],
      link: [],
      needs: ['python3'],
    })
  })

  test('one that git does not ignore ignores itself, and the name that is ignored is taken', () => {
    const files = { 'requirements.txt': 'pytest\n', 'a.py': '' }
    expect(proposed(files, { ignored: [] }).setup[0]).toBe(
      "python3 -m venv .venv && echo '*' > .venv/.gitignore",
    )
    expect(proposed(files, { ignored: ['venv'] })).toMatchObject({
      gates: { test: 'venv/bin/pytest' },
      setup: ['python3 -m venv venv', 'venv/bin/pip install -q -r requirements.txt'],
    })
  })

  test('a project is installed for editing, with what its developers need', () => {
    const extras = `${project}[project.optional-dependencies]\ndocs = ["sphinx"]\ndev = ["pytest"]\n[tool.x]\ntest = 1\n`
    expect(proposed({ 'pyproject.toml': extras }).setup[1]).toBe(".venv/bin/pip install -q -e '.[dev]'")
    expect(proposed({ 'setup.py': '', 'tests/conftest.py': '' }).setup[1]).toBe(
      '.venv/bin/pip install -q -e . pytest',
    )
  })
})

describe('what tests', () => {
  const tester = (files: Record<string, string>) => proposed(files).gates.test

  test('pytest where it is configured, declared, or has its file', () => {
    const pytest = '.venv/bin/pytest'
    expect(tester({ 'pyproject.toml': `${project}[tool.pytest.ini_options]\n` })).toBe(pytest)
    expect(tester({ 'setup.py': '', 'setup.cfg': '[tool:pytest]\n' })).toBe(pytest)
    expect(tester({ 'requirements.txt': 'pytest-cov\n' })).toBe(pytest)
    expect(tester({ 'setup.py': '', 'pytest.ini': '' })).toBe(pytest)
  })

  test('tox, which needs no environment but its own', () => {
    expect(proposed({ 'tox.ini': '[testenv]\ndeps = pytest\n', 'a.py': '' })).toMatchObject({
      gates: { test: 'tox' },
      setup: [],
      needs: ['tox'],
    })
  })

  test('Django’s own, and what comes with Python', () => {
    expect(tester({ 'requirements.txt': 'django\n', 'manage.py': '' })).toBe(
      '.venv/bin/python3 manage.py test',
    )
    expect(tester({ 'setup.cfg': '', 'tests/__init__.py': '', 'tests/test_a.py': '' })).toBe(
      'python3 -m unittest discover',
    )
    expect(tester({ 'setup.cfg': '', 'tests/test_a.py': '' })).toBe('python3 -m unittest discover -s tests')
    expect(tester({ 'setup.cfg': '', 'a.py': '' })).toBeUndefined()
  })
})

describe('what checks', () => {
  const linter = (files: Record<string, string>) =>
    proposed({ 'requirements.txt': 'x\n', ...files }).gates.lint

  test('ruff, flake8 or pylint, by a file or a section of their own', () => {
    expect(linter({ 'ruff.toml': '' })).toBe('.venv/bin/ruff check .')
    expect(linter({ 'pyproject.toml': '[tool.ruff.lint]\n' })).toBe('.venv/bin/ruff check .')
    expect(linter({ '.flake8': '' })).toBe('.venv/bin/flake8')
    expect(linter({ 'setup.cfg': '[flake8]\n' })).toBe('.venv/bin/flake8')
    expect(linter({ '.pylintrc': '' })).toBe('.venv/bin/pylint --recursive=y .')
    expect(linter({})).toBeUndefined()
  })

  test('one that the project only configures is installed beside, or fetched', () => {
    expect(proposed({ 'requirements.txt': 'x\n', 'ruff.toml': '' }).setup[1]).toContain(
      '-r requirements.txt ruff',
    )
    expect(proposed({ 'pyproject.toml': project, 'uv.lock': '', 'ruff.toml': '' }).gates.lint).toBe(
      'uvx ruff check .',
    )
  })
})

test('a pyproject.toml for a tool alone makes no Python project', () => {
  expect(proposed({ 'pyproject.toml': '[tool.codespell]\n', 'main.go': '' }).found).toEqual([])
})
