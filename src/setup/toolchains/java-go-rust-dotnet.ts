/**
 * Go, Rust and .NET: each has one program that builds, tests and checks, with its own cache outside the checkout. Java has
 * two to choose from.
 */
import {
  type DetectToolchain,
  firstOf,
  hasAny,
  hasLike,
  type ProjectFiles,
  textOf,
  toolchain,
} from './toolchain.ts'

export const detectGo: DetectToolchain = (project) => {
  if (!hasAny(project, 'go.mod', 'go.work')) return null
  // At the top of a workspace that is not a module itself, `./...` matches nothing.
  const each = (command: string) =>
    hasAny(project, 'go.mod') ? `go ${command} ./...` : `go list -f '{{.Dir}}/...' -m | xargs go ${command}`
  const linted = hasLike(project, /^\.golangci\.(ya?ml|toml|json)$/)
  return toolchain({
    language: 'go',
    title: 'Go',
    test: each('test'),
    lint: linted ? 'golangci-lint run' : each('vet'),
    needs: linted ? ['go', 'golangci-lint'] : ['go'],
  })
}

export const detectRust: DetectToolchain = (project) => {
  if (!hasAny(project, 'Cargo.toml')) return null
  const all = /^\[workspace\]/m.test(textOf(project, 'Cargo.toml')) ? ' --workspace' : ''
  const locked = hasAny(project, 'Cargo.lock') ? ' --locked' : ''
  return toolchain({
    language: 'rust',
    title: 'Rust (cargo)',
    test: `cargo test${all}${locked}`,
    lint: `cargo clippy${all} --all-targets${locked}`,
    needs: ['cargo', 'cargo-clippy'],
  })
}

const dotnetProject = /^([\w.-]+\/){0,3}[\w.-]+\.(sln|slnx|csproj|fsproj|vbproj)$/

export const detectDotnet: DetectToolchain = (project) => {
  const found = [...project.names].filter((name) => dotnetProject.test(name))
  if (found.length === 0) return null
  const target = dotnetTarget(project)
  return toolchain({
    language: 'dotnet',
    title: '.NET',
    test: `dotnet test${target}`,
    lint: hasAny(project, '.editorconfig') ? `dotnet format${target} --verify-no-changes` : null,
    setup: [`dotnet restore${target}`],
    needs: ['dotnet'],
  })
}

/**
 * The solution or project to name in the command, because the top folder has several or none. Solutions come first,
 * then the uppermost.
 */
function dotnetTarget({ names }: ProjectFiles): string {
  const depth = (name: string) => name.split('/').length
  const isSolution = (name: string) => /\.slnx?$/.test(name)
  const ranked = [...names]
    .filter((name) => dotnetProject.test(name))
    .sort(
      (one, other) =>
        Number(isSolution(other)) - Number(isSolution(one)) ||
        depth(one) - depth(other) ||
        (one < other ? -1 : 1),
    )
  const [best = ''] = ranked
  const atTop = ranked.filter((name) => depth(name) === 1)
  return atTop.length === 1 && atTop[0] === best ? '' : ` ${best}`
}

/** Java and other JVM languages with Maven or Gradle. The project's own wrapper is preferred to an installed program. */
export const detectJava: DetectToolchain = (project) => maven(project) ?? gradle(project)

const mavenLinters: [mark: string, goal: string][] = [
  ['maven-checkstyle-plugin', 'checkstyle:check'],
  ['spotless-maven-plugin', 'spotless:check'],
  ['maven-pmd-plugin', 'pmd:check'],
]

const maven: DetectToolchain = (project) => {
  if (!hasAny(project, 'pom.xml')) return null
  const { program, needs } = wrapped(project, 'mvnw', 'mvn')
  const goal = mavenLinters.find(([mark]) => textOf(project, 'pom.xml').includes(mark))?.[1]
  return toolchain({
    language: 'java',
    title: 'Java (Maven)',
    test: `${program} -B test`,
    lint: goal ? `${program} -B ${goal}` : null,
    needs,
  })
}

const gradleLinters: [mark: RegExp, tasks: string][] = [
  [/spotless/, 'spotlessCheck'],
  [/ktlint/, 'ktlintCheck'],
  [/detekt/, 'detekt'],
  [/\bcheckstyle\b/, 'checkstyleMain checkstyleTest'],
]

const gradle: DetectToolchain = (project) => {
  const script = firstOf(project, 'build.gradle', 'build.gradle.kts')
  if (script === null && !hasAny(project, 'settings.gradle', 'settings.gradle.kts')) return null
  const { program, needs } = wrapped(project, 'gradlew', 'gradle')
  const tasks = gradleLinters.find(([mark]) => mark.test(textOf(project, script ?? '')))?.[1]
  // No daemon: it would keep running after the gate, and Umpire ends everything that a gate started.
  return toolchain({
    language: 'java',
    title: 'Java (Gradle)',
    test: `${program} --no-daemon test`,
    lint: tasks ? `${program} --no-daemon ${tasks}` : null,
    needs,
  })
}

function wrapped(
  project: ProjectFiles,
  wrapper: string,
  program: string,
): { program: string; needs: string[] } {
  return hasAny(project, wrapper)
    ? { program: `./${wrapper}`, needs: ['java'] }
    : { program, needs: [program] }
}
