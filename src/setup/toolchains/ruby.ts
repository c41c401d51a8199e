/** Ruby, with Bundler if there is a Gemfile. */
import { hasAny, hasLike, type ProjectFiles, textOf } from './project-files.ts'
import { type DetectToolchain, toolchain } from './toolchain.ts'

export const detectRuby: DetectToolchain = (project) => {
  const bundled = hasAny(project, 'Gemfile')
  if (!bundled && !(hasAny(project, 'Rakefile') && hasLike(project, /\.rb$/))) return null
  const prefix = bundled ? 'bundle exec ' : ''
  const test = findTester(project)
  const lint = findLinter(project)
  // Set-up must not rewrite a tracked lock file.
  const frozen = hasAny(project, 'Gemfile.lock') ? 'BUNDLE_FROZEN=true ' : ''
  return toolchain({
    language: 'ruby',
    title: bundled ? 'Ruby (Bundler)' : 'Ruby',
    test: test === null ? null : test.startsWith('bin/') ? test : `${prefix}${test}`,
    lint: lint === null ? null : `${prefix}${lint}`,
    setup: bundled ? [`${frozen}bundle install`] : [],
    needs: [bundled ? 'bundle' : 'ruby'],
  })
}

function findTester(project: ProjectFiles): string | null {
  const gems = textOf(project, 'Gemfile')
  if (hasAny(project, '.rspec') || /["']rspec/.test(gems) || hasLike(project, /^spec\/.+_spec\.rb$/))
    return 'rspec'
  if (hasAny(project, 'bin/rails') && hasLike(project, /^test\/.+\.rb$/)) return 'bin/rails test'
  const rakefile = textOf(project, 'Rakefile')
  if (/TestTask|task\s*\(?:test\b|task\s*\(?["']?test\b/.test(rakefile)) return 'rake test'
  if (/RSpec::Core::RakeTask|task\s*\(?:spec\b/.test(rakefile)) return 'rake spec'
  return null
}

function findLinter(project: ProjectFiles): string | null {
  const gems = textOf(project, 'Gemfile')
  if (hasAny(project, '.rubocop.yml') || /["']rubocop/.test(gems)) return 'rubocop'
  if (hasAny(project, '.standard.yml') || /["']standard["']/.test(gems)) return 'standardrb'
  return null
}
