import { describe, expect, test } from 'vitest'
import { proposed } from './project.ts'

const project = '[project]\nname = "x"\n'

describe('the manager of the environment', () => {
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

  test('requirements are installed into a virtual environment of the checkout', () => {
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

  test('an unignored virtual environment gets its own .gitignore, and an ignored name is preferred', () => {
    const files = { 'requirements.txt': 'pytest\n', 'a.py': '' }
    expect(proposed(files, { ignored: [] }).setup[0]).toBe(
      "python3 -m venv .venv && echo '*' > .venv/.gitignore",
    )
    expect(proposed(files, { ignored: ['venv'] })).toMatchObject({
      gates: { test: 'venv/bin/pytest' },
      setup: ['python3 -m venv venv', 'venv/bin/pip install -q -r requirements.txt'],
    })
  })

  test('a project is installed in editable mode, with its development dependencies', () => {
    const extras = `${project}[project.optional-dependencies]\ndocs = ["sphinx"]\ndev = ["pytest"]\n[tool.x]\ntest = 1\n`
    expect(proposed({ 'pyproject.toml': extras }).setup[1]).toBe(".venv/bin/pip install -q -e '.[dev]'")
    expect(proposed({ 'setup.py': '', 'tests/conftest.py': '' }).setup[1]).toBe(
      '.venv/bin/pip install -q -e . pytest',
    )
  })
})

describe('the test command', () => {
  const tester = (files: Record<string, string>) => proposed(files).gates.test

  test('is pytest if it is configured, declared, or has its config file', () => {
    const pytest = '.venv/bin/pytest'
    expect(tester({ 'pyproject.toml': `${project}[tool.pytest.ini_options]\n` })).toBe(pytest)
    expect(tester({ 'setup.py': '', 'setup.cfg': '[tool:pytest]\n' })).toBe(pytest)
    expect(tester({ 'requirements.txt': 'pytest-cov\n' })).toBe(pytest)
    expect(tester({ 'setup.py': '', 'pytest.ini': '' })).toBe(pytest)
  })

  test('is tox, which creates its own environment', () => {
    expect(proposed({ 'tox.ini': '[testenv]\ndeps = pytest\n', 'a.py': '' })).toMatchObject({
      gates: { test: 'tox' },
      setup: [],
      needs: ['tox'],
    })
  })

  test('is the one of Django, or unittest from Python itself', () => {
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

describe('the lint command', () => {
  const linter = (files: Record<string, string>) =>
    proposed({ 'requirements.txt': 'x\n', ...files }).gates.lint

  test('is ruff, flake8 or pylint, by its own file or section', () => {
    expect(linter({ 'ruff.toml': '' })).toBe('.venv/bin/ruff check .')
    expect(linter({ 'pyproject.toml': '[tool.ruff.lint]\n' })).toBe('.venv/bin/ruff check .')
    expect(linter({ '.flake8': '' })).toBe('.venv/bin/flake8')
    expect(linter({ 'setup.cfg': '[flake8]\n' })).toBe('.venv/bin/flake8')
    expect(linter({ '.pylintrc': '' })).toBe('.venv/bin/pylint --recursive=y .')
    expect(linter({})).toBeUndefined()
  })

  test('installs or fetches a linter that the project only configures', () => {
    expect(proposed({ 'requirements.txt': 'x\n', 'ruff.toml': '' }).setup[1]).toContain(
      '-r requirements.txt ruff',
    )
    expect(proposed({ 'pyproject.toml': project, 'uv.lock': '', 'ruff.toml': '' }).gates.lint).toBe(
      'uvx ruff check .',
    )
  })
})

test('a pyproject.toml that only configures a tool does not make a Python project', () => {
  expect(proposed({ 'pyproject.toml': '[tool.codespell]\n', 'main.go': '' }).found).toEqual([])
})
