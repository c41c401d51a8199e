/** All languages whose tests Umpire knows, and which files of a repository are such tests. */
import type { Language } from './language.ts'
import { csharp } from './languages/csharp.ts'
import { go } from './languages/go.ts'
import { java } from './languages/java.ts'
import { javascript } from './languages/javascript.ts'
import { python } from './languages/python.ts'
import { ruby } from './languages/ruby.ts'
import { rust } from './languages/rust.ts'

const languages: readonly Language[] = [javascript, python, go, rust, java, ruby, csharp]

/** Third-party code, build results and test fixtures. A change there does not change a test of this project. */
const foreign =
  /(?:^|\/)(?:node_modules|vendor|vendored|third_party|bower_components|\.venv|venv|site-packages|dist|target|\.next|fixtures?|__fixtures__|testdata|__mocks__)\//

/** The language of a file that may contain tests, or null for every other file. */
export function testLanguage(path: string): Language | null {
  const language = languages.find(({ files }) => files.test(path))
  if (!language || foreign.test(path)) return null
  return isNamedTest(path, language) || language.testFolders?.test(path) || language.inline ? language : null
}

/** Whether a test runner finds the file by its name. */
export function isNamedTest(path: string, { testNames }: Language): boolean {
  return testNames.test(path)
}

/** Whether the whole file belongs to tests, and not only some hunks of it. */
export function isTestFile(path: string, language: Language): boolean {
  return isNamedTest(path, language) || (language.testFolders?.test(path) ?? false)
}

export function isForeign(path: string): boolean {
  return foreign.test(path)
}
