/** Python: first the tool that manages the environment, then the tools that test and check in it. */
import { type DetectToolchain, hasAny, hasLike, type ProjectFiles, textOf, toolchain } from './toolchain.ts'

interface Environment {
  name: string
  setup: string[]
  /** The prefix for a tool that is installed in the environment. */
  run: string
  /** The prefix for a tool that the project only configures and does not install. */
  runForeign: string
  needs: string[]
}

export const detectPython: DetectToolchain = (project) => {
  const marks = [
    'pyproject.toml',
    'setup.py',
    'setup.cfg',
    'requirements.txt',
    'Pipfile',
    'tox.ini',
    'uv.lock',
  ]
  if (!hasAny(project, ...marks) || !isPython(project)) return null
  const tester = findTester(project)
  const linter = findLinter(project)
  // Tox creates its own environments.
  if (tester?.name === 'tox' && linter === null)
    return toolchain({ language: 'python', title: 'Python (tox)', test: tester.command, needs: ['tox'] })
  const environment = findEnvironment(project, [tester, linter])
  const command = (tool: Tool | null) => {
    if (tool === null || tool.name === 'tox') return tool?.command ?? null
    const isForeign = tool.name !== 'python' && !declares(project, tool.name)
    return `${isForeign ? environment.runForeign : environment.run}${tool.command}`
  }
  return toolchain({
    language: 'python',
    title: `Python (${environment.name})`,
    test: command(tester),
    lint: command(linter),
    setup: environment.setup,
    needs: tester?.name === 'tox' ? [...environment.needs, 'tox'] : environment.needs,
  })
}

/** A pyproject.toml may only configure a tool. Then the project counts as Python only if it has Python files. */
function isPython(project: ProjectFiles): boolean {
  const text = textOf(project, 'pyproject.toml')
  return (
    /^\[(project|build-system|tool\.poetry)\]/m.test(text) ||
    hasLike(project, /\.py$|requirements.*\.txt$|(^|\/)Pipfile$/)
  )
}

/** The requirement files that a developer needs. Others are for documentation or servers, or are lock files of these. */
const requirementFiles =
  /^((dev|test)[-_]requirements|requirements([-_](dev|test|tests|ci|lint))?|requirements\/(base|dev|development|test|tests|testing|local|ci))\.txt$/

function requirementsOf({ names }: ProjectFiles): string[] {
  return [...names].filter((name) => requirementFiles.test(name)).sort()
}

/** The text of all files that name packages. */
function declarations(project: ProjectFiles): string {
  const files = ['pyproject.toml', 'setup.cfg', 'setup.py', 'Pipfile', ...requirementsOf(project)]
  return files.map((name) => textOf(project, name)).join('\n')
}

/** Whether the project names the package as one to install. The heading of a tool's settings does not count. */
function declares(project: ProjectFiles, name: string): boolean {
  const lines = declarations(project).replace(/^\s*(\[.*\]|#.*)\s*$/gm, '')
  return new RegExp(`(^|["'\\s,[])${name}(?!\\w)`, 'm').test(lines)
}

interface Tool {
  /** The package that contains the tool. */
  name: string
  command: string
}

function findTester(project: ProjectFiles): Tool | null {
  const settings = `${textOf(project, 'pyproject.toml')}\n${textOf(project, 'setup.cfg')}`
  const isPytest =
    hasAny(project, 'pytest.ini', 'conftest.py', 'tests/conftest.py', 'test/conftest.py') ||
    /^\[tool[.:]pytest/m.test(settings) ||
    declares(project, 'pytest')
  if (isPytest) return { name: 'pytest', command: 'pytest' }
  if (hasAny(project, 'tox.ini') || /^\[tool\.tox/m.test(settings)) return { name: 'tox', command: 'tox' }
  if (hasAny(project, 'manage.py')) return { name: 'python', command: 'python3 manage.py test' }
  // If the folder of the tests is not a package, unittest does not find it from the top.
  if (hasLike(project, /^tests?\/__init__\.py$/) || hasLike(project, /^test[^/]*\.py$/))
    return { name: 'python', command: 'python3 -m unittest discover' }
  if (hasLike(project, /^tests?\/test[^/]*\.py$/)) {
    const folder = hasLike(project, /^tests\//) ? 'tests' : 'test'
    return { name: 'python', command: `python3 -m unittest discover -s ${folder}` }
  }
  return null
}

function findLinter(project: ProjectFiles): Tool | null {
  const settings = ['pyproject.toml', 'setup.cfg', 'tox.ini'].map((name) => textOf(project, name)).join('\n')
  const linters: [name: string, command: string, files: string[]][] = [
    ['ruff', 'ruff check .', ['ruff.toml', '.ruff.toml']],
    ['flake8', 'flake8', ['.flake8']],
    ['pylint', 'pylint --recursive=y .', ['.pylintrc', 'pylintrc']],
  ]
  const found = linters.find(
    ([name, , files]) =>
      hasAny(project, ...files) ||
      new RegExp(`^\\[(tool\\.)?${name}`, 'm').test(settings) ||
      declares(project, name),
  )
  return found ? { name: found[0], command: found[1] } : null
}

function findEnvironment(project: ProjectFiles, tools: (Tool | null)[]): Environment {
  const settings = textOf(project, 'pyproject.toml')
  const managed = (name: string, setup: string, run: string, runForeign = ''): Environment => {
    return { name, setup: [setup], run, runForeign, needs: [name] }
  }
  if (hasAny(project, 'uv.lock')) return managed('uv', 'uv sync --frozen', 'uv run --frozen ', 'uvx ')
  if (hasAny(project, 'poetry.lock') || /^\[tool\.poetry\]/m.test(settings))
    return managed('poetry', 'poetry install --no-interaction', 'poetry run ')
  if (hasAny(project, 'pdm.lock')) return managed('pdm', 'pdm sync', 'pdm run ')
  if (hasAny(project, 'Pipfile.lock')) return managed('pipenv', 'pipenv sync --dev', 'pipenv run ')
  if (hasAny(project, 'Pipfile')) return managed('pipenv', 'pipenv install --dev --skip-lock', 'pipenv run ')
  return virtualEnvironment(project, tools)
}

/**
 * Each checkout gets its own environment, not a link to the person's. If the project is installed there in editable mode,
 * a link would test the person's code instead of the task's work.
 */
function virtualEnvironment(project: ProjectFiles, tools: (Tool | null)[]): Environment {
  const packages = requirementsOf(project).map((name) => `-r ${name}`)
  if (isInstallable(project)) packages.push(`-e ${installTarget(project)}`)
  for (const tool of tools) {
    if (tool && ['pytest', 'ruff', 'flake8', 'pylint'].includes(tool.name) && !declares(project, tool.name))
      packages.push(tool.name)
  }
  if (packages.length === 0)
    return { name: 'no packages', setup: [], run: '', runForeign: '', needs: ['python3'] }
  const folder = project.ignored.has('venv') && !project.ignored.has('.venv') ? 'venv' : '.venv'
  const make = `python3 -m venv ${folder}`
  // If the project does not ignore the folder, a .gitignore inside the folder does.
  const hide = project.ignored.has(folder) ? '' : ` && echo '*' > ${folder}/.gitignore`
  return {
    name: folder,
    setup: [`${make}${hide}`, `${folder}/bin/pip install -q ${packages.join(' ')}`],
    run: `${folder}/bin/`,
    runForeign: `${folder}/bin/`,
    needs: ['python3'],
  }
}

function isInstallable(project: ProjectFiles): boolean {
  return hasAny(project, 'setup.py') || /^\[(project|build-system)\]/m.test(textOf(project, 'pyproject.toml'))
}

/** The project with its extras for developers, if it has extras with one of the usual names. */
function installTarget(project: ProjectFiles): string {
  const [, section = ''] =
    /^\[project\.optional-dependencies\]\n([\s\S]*?)(?=^\[|(?![\s\S]))/m.exec(
      textOf(project, 'pyproject.toml'),
    ) ?? []
  const extras = ['dev', 'test', 'tests', 'testing'].filter((name) =>
    new RegExp(`^${name}\\s*=`, 'm').test(section),
  )
  return extras.length > 0 ? `'.[${extras.join(',')}]'` : '.'
}
