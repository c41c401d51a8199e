import { describe, expect, test } from 'vitest'
import { proposed } from './project.ts'

describe('Go', () => {
  test('tests and vets all packages, and needs no setup', () => {
    expect(proposed(['go.mod', 'main.go'])).toMatchObject({
      found: ['Go'],
      gates: { test: 'go test ./...', lint: 'go vet ./...' },
      setup: [],
      needs: ['go'],
    })
  })

  test('lints with golangci-lint if it is configured', () => {
    expect(proposed(['go.mod', '.golangci.yml'])).toMatchObject({
      gates: { lint: 'golangci-lint run' },
      needs: ['go', 'golangci-lint'],
    })
  })

  test('tests every module of a workspace whose root is not a module', () => {
    expect(proposed(['go.work', 'a/go.mod']).gates.test).toBe("go list -f '{{.Dir}}/...' -m | xargs go test")
  })
})

describe('Rust', () => {
  test('tests one crate, without and with a lock file', () => {
    expect(proposed({ 'Cargo.toml': '[package]\n' })).toMatchObject({
      found: ['Rust (cargo)'],
      gates: { test: 'cargo test', lint: 'cargo clippy --all-targets' },
      setup: [],
    })
    expect(proposed({ 'Cargo.toml': '[package]\n', 'Cargo.lock': '' }).gates.test).toBe('cargo test --locked')
  })

  test('tests all crates of a workspace', () => {
    expect(proposed({ 'Cargo.toml': '[workspace]\n' }).gates).toEqual({
      test: 'cargo test --workspace',
      lint: 'cargo clippy --workspace --all-targets',
    })
  })
})

describe('Java', () => {
  test.each([
    [['pom.xml'], 'mvn -B test', ['mvn']],
    [['pom.xml', 'mvnw'], './mvnw -B test', ['java']],
    [['build.gradle'], 'gradle --no-daemon test', ['gradle']],
    [['build.gradle.kts', 'gradlew'], './gradlew --no-daemon test', ['java']],
    [['settings.gradle.kts', 'gradlew'], './gradlew --no-daemon test', ['java']],
  ])('%j', (files, command, needs) => {
    expect(proposed(files)).toMatchObject({ gates: { test: command }, setup: [], needs })
  })

  test('lints if the build file names a plugin for it', () => {
    const pom = '<plugin><artifactId>maven-checkstyle-plugin</artifactId></plugin>'
    expect(proposed({ 'pom.xml': pom, mvnw: '' }).gates.lint).toBe('./mvnw -B checkstyle:check')
    expect(proposed({ 'build.gradle': "plugins { id 'checkstyle' }" }).gates.lint).toBe(
      'gradle --no-daemon checkstyleMain checkstyleTest',
    )
    expect(proposed({ 'build.gradle.kts': 'id("com.diffplug.spotless")', gradlew: '' }).gates.lint).toBe(
      './gradlew --no-daemon spotlessCheck',
    )
    expect(proposed(['pom.xml']).gates.lint).toBeUndefined()
  })
})

describe('Ruby', () => {
  test('runs RSpec and RuboCop with Bundler', () => {
    const files = { Gemfile: "gem 'rspec'\ngem 'rubocop'\n", 'Gemfile.lock': '' }
    expect(proposed(files)).toMatchObject({
      found: ['Ruby (Bundler)'],
      gates: { test: 'bundle exec rspec', lint: 'bundle exec rubocop' },
      setup: ['BUNDLE_FROZEN=true bundle install'],
      needs: ['bundle'],
    })
    expect(proposed({ Gemfile: '' }).setup).toEqual(['bundle install'])
  })

  test('recognises the tools by their files alone', () => {
    expect(proposed(['Gemfile', 'spec/a_spec.rb', '.rubocop.yml']).gates).toEqual({
      test: 'bundle exec rspec',
      lint: 'bundle exec rubocop',
    })
    expect(proposed(['Gemfile', '.standard.yml']).gates).toEqual({ lint: 'bundle exec standardrb' })
  })

  test('runs rake and Rails tests', () => {
    const rake = { Rakefile: 'Rake::TestTask.new\n', 'lib/a.rb': '' }
    expect(proposed({ ...rake, Gemfile: '' }).gates.test).toBe('bundle exec rake test')
    expect(proposed(rake)).toMatchObject({ gates: { test: 'rake test' }, setup: [], needs: ['ruby'] })
    expect(proposed(['Gemfile', 'bin/rails', 'test/models/a_test.rb']).gates.test).toBe('bin/rails test')
  })
})

describe('PHP', () => {
  test('prefers the project’s own scripts', () => {
    const text =
      '{"scripts": {"test": "phpunit", "lint": ["phpcs"]}, "require-dev": {"phpunit/phpunit": "*"}}'
    expect(proposed({ 'composer.json': text })).toMatchObject({
      found: ['PHP (Composer)'],
      gates: { test: 'composer run-script test', lint: 'composer run-script lint' },
      setup: ['composer install --no-interaction --no-progress'],
      needs: ['php', 'composer'],
    })
  })

  test.each([
    [{ 'phpunit.xml.dist': '' }, { test: 'vendor/bin/phpunit' }],
    [{ 'tests/Pest.php': '', 'phpunit.xml': '' }, { test: 'vendor/bin/pest' }],
    [{ 'phpstan.neon': '' }, { lint: 'vendor/bin/phpstan analyse --no-progress' }],
    [{ 'pint.json': '' }, { lint: 'vendor/bin/pint --test' }],
  ])('%j', (files, gates) => {
    expect(proposed({ 'composer.json': '{}', ...files }).gates).toEqual(gates)
  })

  test('recognises the tools by the required packages', () => {
    expect(proposed({ 'composer.json': '{"require-dev": {"phpunit/phpunit": "*"}}' }).gates).toEqual({
      test: 'vendor/bin/phpunit',
    })
    expect(proposed({ 'composer.json': '{}' }, { ignored: [] }).unignored).toEqual(['vendor'])
  })
})

describe('.NET', () => {
  test.each([
    [['App.sln', 'src/App/App.csproj'], ''],
    [['App.csproj'], ''],
    [['src/App.sln'], ' src/App.sln'],
    [['A.csproj', 'B.csproj'], ' A.csproj'],
    [['tests/T/T.csproj', 'src/A/A.fsproj'], ' src/A/A.fsproj'],
    [['A.csproj', 'build/All.sln'], ' build/All.sln'],
  ])('%j', (files, target) => {
    expect(proposed(files)).toMatchObject({
      found: ['.NET'],
      gates: { test: `dotnet test${target}` },
      setup: [`dotnet restore${target}`],
    })
  })

  test('checks the format if there is an .editorconfig', () => {
    expect(proposed(['App.sln', '.editorconfig']).gates.lint).toBe('dotnet format --verify-no-changes')
  })

  test('never puts a file name that needs shell quoting into a command', () => {
    expect(proposed(['a; rm -rf x.csproj', '$(touch x)/a.sln']).found).toEqual([])
  })
})

test('uses the Makefile for everything else', () => {
  expect(proposed({ Makefile: 'CC := gcc\ntest: all\n\t./run\nlint:\n\tx\n' }).gates).toEqual({
    test: 'make test',
    lint: 'make lint',
  })
  expect(proposed({ Makefile: 'test := 1\nall:\n' }).found).toEqual([])
  expect(proposed({ Makefile: 'test:\n', 'go.mod': '' }).gates.test).toBe('go test ./...')
})
