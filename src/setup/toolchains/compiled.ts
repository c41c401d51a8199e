/** Go, Rust and .NET: each has one program that builds, tests and checks, with its own cache outside the checkout. */
import { hasAny, hasLike, type ProjectFiles, textOf } from './project-files.ts'
import { type DetectToolchain, toolchain } from './toolchain.ts'

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

/** The solution or project that has to be named because the top has several or none: solutions first, the uppermost first. */
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
