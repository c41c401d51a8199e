/** PHP with Composer: the project's own scripts first, otherwise the tools that are configured or required. */
import { hasAny, type ProjectFiles, textOf } from './project-files.ts'
import { type DetectToolchain, toolchain } from './toolchain.ts'

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
