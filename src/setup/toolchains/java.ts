/** Java and other JVM languages with Maven or Gradle. The project's own wrapper is preferred to an installed program. */
import { firstOf, hasAny, type ProjectFiles, textOf } from './project-files.ts'
import { type DetectToolchain, toolchain } from './toolchain.ts'

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
