import { type DetectToolchain, hasAny, hasLike, type ProjectFiles, textOf, toolchain } from './toolchain.ts'

/** Ruby, with Bundler if there is a Gemfile. */
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

interface PhpTool {
  files: string[]
  /** The name of its package in composer.json. */
  package: string
  command: string
}

const testers: PhpTool[] = [
  { files: ['tests/Pest.php'], package: 'pestphp/pest', command: 'vendor/bin/pest' },
  { files: ['phpunit.xml', 'phpunit.xml.dist'], package: 'phpunit/phpunit', command: 'vendor/bin/phpunit' },
]

const linters: PhpTool[] = [
  {
    files: ['phpstan.neon', 'phpstan.neon.dist', 'phpstan.dist.neon'],
    package: 'phpstan/phpstan',
    command: 'vendor/bin/phpstan analyse --no-progress',
  },
  {
    files: ['phpcs.xml', 'phpcs.xml.dist', '.phpcs.xml'],
    package: 'squizlabs/php_codesniffer',
    command: 'vendor/bin/phpcs',
  },
  {
    files: ['.php-cs-fixer.php', '.php-cs-fixer.dist.php'],
    package: 'friendsofphp/php-cs-fixer',
    command: 'vendor/bin/php-cs-fixer fix --dry-run --diff',
  },
  { files: ['pint.json'], package: 'laravel/pint', command: 'vendor/bin/pint --test' },
]

/** PHP with Composer: the project's own scripts first, otherwise the tools that are configured or required. */
export const detectPhp: DetectToolchain = (project) => {
  if (!hasAny(project, 'composer.json')) return null
  const text = textOf(project, 'composer.json')
  const [, scripts = ''] = /"scripts"\s*:\s*\{([\s\S]*?)\}/.exec(text) ?? []
  const script = (name: string) => (scripts.includes(`"${name}"`) ? `composer run-script ${name}` : null)
  return toolchain({
    language: 'php',
    title: 'PHP (Composer)',
    test: script('test') ?? findTool(project, testers),
    lint: script('lint') ?? findTool(project, linters),
    setup: ['composer install --no-interaction --no-progress'],
    needs: ['php', 'composer'],
    fills: 'vendor',
  })
}

function findTool(project: ProjectFiles, tools: PhpTool[]): string | null {
  const required = textOf(project, 'composer.json')
  const found =
    tools.find(({ package: name }) => required.includes(`"${name}"`)) ??
    tools.find(({ files }) => hasAny(project, ...files))
  return found?.command ?? null
}
