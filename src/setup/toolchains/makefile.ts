/** Any other project with a makefile that says how it is tested. */
import { firstOf, textOf } from './project-files.ts'
import { type DetectToolchain, toolchain } from './toolchain.ts'

export const detectMakefile: DetectToolchain = (project) => {
  const file = firstOf(project, 'GNUmakefile', 'makefile', 'Makefile')
  if (file === null) return null
  const target = (...names: string[]) => {
    const found = names.find((name) => new RegExp(`^${name}\\s*:(?!=)`, 'm').test(textOf(project, file)))
    return found ? `make ${found}` : null
  }
  const test = target('test', 'check')
  const lint = target('lint')
  if (test === null && lint === null) return null
  return toolchain({ language: 'make', title: 'make', test, lint, needs: ['make'] })
}
