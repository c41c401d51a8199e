/**
 * Files that influence later sessions of the built-in agents: settings, instructions, hooks, plugins and commands that
 * every session reads from the user's own folders. They were found by running the programs and by reading their
 * sources. Files that a program writes by itself are left out, such as Claude Code's list of marketplaces.
 */
import { join } from 'node:path'
import type { Steering } from './agent.ts'

type Env = Record<string, string>

export function claudeSteering({ HOME, CLAUDE_CONFIG_DIR }: Env): Steering {
  const paths = within(CLAUDE_CONFIG_DIR || below(HOME, '.claude'), [
    ...['settings.json', 'settings.local.json', 'remote-settings.json', 'CLAUDE.md'],
    ...['commands', 'agents', 'skills', 'hooks', 'output-styles', 'rules', 'workflows'],
    ...['plugins/installed_plugins.json', 'plugins/config.json', 'plugins/cache', 'plugins/marketplaces'],
  ])
  return { paths, except: [] }
}

/** Codex itself writes the skills that come with it, again for every version. */
export function codexSteering({ HOME, CODEX_HOME }: Env): Steering {
  const folder = CODEX_HOME || below(HOME, '.codex')
  const paths = [
    ...within(folder, [
      ...['config.toml', 'managed_config.toml', '.env', 'AGENTS.md', 'AGENTS.override.md', 'hooks.json'],
      ...['hooks', 'prompts', 'rules', 'skills', 'agents', 'plugins'],
    ]),
    ...within(HOME, ['.agents']),
  ]
  return { paths, except: within(folder, ['skills/.system']) }
}

export function geminiSteering({ HOME, GEMINI_CLI_HOME }: Env): Steering {
  const home = GEMINI_CLI_HOME || HOME
  const paths = [
    ...within(below(home, '.gemini'), [
      ...['settings.json', '.env', 'GEMINI.md', 'system.md', 'extensions', 'policies', 'commands', 'skills'],
      ...['agents', 'hooks'],
    ]),
    ...within(home, ['.agents', '.env']),
  ]
  return { paths, except: [] }
}

export function opencodeSteering({ HOME, XDG_CONFIG_HOME }: Env): Steering {
  const names = ['opencode.json', 'opencode.jsonc', 'config.json', 'config', 'AGENTS.md']
  const kinds = ['plugin', 'agent', 'command', 'tool', 'mode', 'skill'].flatMap((kind) => [kind, `${kind}s`])
  const paths = [
    ...within(below(XDG_CONFIG_HOME || below(HOME, '.config'), 'opencode'), [...names, ...kinds]),
    ...within(below(HOME, '.opencode'), [...names, ...kinds]),
    // opencode also reads other agents' files.
    ...within(HOME, ['.agents', '.claude/CLAUDE.md', '.claude/skills']),
  ]
  return { paths, except: [] }
}

function below(folder: string | null | undefined, name: string): string | null {
  return folder ? join(folder, name) : null
}

function within(folder: string | null | undefined, names: string[]): string[] {
  return folder ? names.map((name) => join(folder, name)) : []
}
