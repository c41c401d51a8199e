/** Builds dist/: the bundle with its lazily loaded chunks, the types, and the scripts next to it. */
import { execFileSync } from 'node:child_process'
import { chmodSync, copyFileSync, cpSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'

// Built in a separate folder and then moved, so that a running Umpire never finds half a build.
const made = `dist.${process.pid}`
const old = `${made}.old`
try {
  await build({
    entryPoints: {
      main: 'src/main.ts',
      // For tests, which call the command in their own process. It shares its code with main.js and is not published.
      'run-cli': 'src/cli/run-cli.ts',
      index: 'src/index.ts',
      'scripted-agent': 'src/agents/scripted-program.ts',
      'session-tools': 'src/session-tools/main.ts',
      'acp-client': 'src/acp/client.ts',
    },
    outdir: made,
    bundle: true,
    // Commands load only what they need: `status` must start fast.
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    minifySyntax: true,
    // A third of the bundle was white space. Names stay and lines stay short, because Node prints the line that threw.
    minifyWhitespace: true,
    lineLimit: 160,
    external: ['@photostructure/sqlite'],
    // Every agent start waits for this server, so it must load fast. See no-validator.ts.
    alias: { '@modelcontextprotocol/server/_shims': './src/session-tools/no-validator.ts' },
    // Bundled CommonJS packages load Node's modules by require, which ES modules do not have.
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
    logLevel: 'warning',
  })
  mkdirSync(join(made, 'bin'))
  copyFileSync('src/attempts/keeper.sh', join(made, 'keeper.sh'))
  copyFileSync('src/cli/umpire.sh', join(made, 'bin/umpire'))
  copyFileSync('src/cli/complete/completion.bash', join(made, 'completion.bash'))
  if (existsSync('checker')) cpSync('checker', join(made, 'checker'), { recursive: true })
  for (const program of ['main.js', 'bin/umpire']) chmodSync(join(made, program), 0o755)
  const types = ['-p', 'tsconfig.build.json', '--outDir', join(made, 'types')]
  execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', ...types], { stdio: 'inherit' })
  if (existsSync('dist')) renameSync('dist', old)
  renameSync(made, 'dist')
} finally {
  for (const folder of [made, old]) rmSync(folder, { recursive: true, force: true })
}
