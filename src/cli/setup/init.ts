import { chooseAgent } from '../../app/agents/choose-agent.ts'
import { openRepository } from '../../app/repository.ts'
import { UserError } from '../../core/errors.ts'
import { printable } from '../../lib/text/printable.ts'
import { applyAnswers, type Draft } from '../../setup/draft.ts'
import { type FoundSetup, findSetup, writeSetup } from '../../setup/set-up.ts'
import { exitCodes } from '../exit-codes.ts'
import type { Invocation } from '../invocation.ts'
import { print } from '../screen/output.ts'

export async function init(
  options: { agent?: string; yes?: boolean },
  invocation: Invocation,
): Promise<number> {
  const { cwd, env, stdin, stdout } = invocation
  const repository = await openRepository(cwd, env)
  const found = await findSetup(repository, options.agent ?? null, cwd)
  if (!options.yes && !(stdin.isTTY && stdout.isTTY)) {
    throw new UserError(
      'umpire init asks questions, and there is no terminal to ask on.',
      'Give --yes to accept what is found, and --agent NAME to choose the agent.',
    )
  }
  let draft = found.draft
  if (!options.yes) {
    // Some programs create terminals with a width of 0. The questions would then have one letter per line.
    if (stdout.columns === 0) stdout.columns = 80
    const { askSetup } = await import('./ask-setup.ts')
    const terminal = { input: stdin, output: stdout }
    const answers = await askSetup(found, (name) => chooseAgent(name, cwd, repository), terminal)
    if (answers === 'cancelled') {
      print('Nothing was written.', invocation)
      return exitCodes.interrupted
    }
    draft = applyAnswers(draft, answers)
  }
  await writeSetup(repository, draft)
  print(printable(summarise(found, draft)), invocation)
  return exitCodes.done
}

function summarise({ found, warnings }: FoundSetup, draft: Draft): string {
  const { elsewhere, gates, worktree } = draft
  const who = (role: 'developer' | 'reviewer') => {
    const own = elsewhere[role] === null ? null : `${elsewhere[role]}, from your own settings`
    return draft[role] ?? own
  }
  const rows: [string, string[]][] = [
    ['found', found],
    ['developer', [who('developer') ?? 'not chosen yet']],
    ['reviewer', [who('reviewer') ?? 'not chosen yet']],
    ['gates', gates.map(({ name, command }) => `${name}: ${command}`)],
    ['setup', worktree.setup],
    ['copied', worktree.copy],
    ['linked', worktree.link],
  ]
  const next =
    who('developer') === null || who('reviewer') === null
      ? `Next: name your agents under roles in umpire.yaml, then run umpire doctor.`
      : 'Next: umpire add "What to do", then umpire work.'
  return [
    'Wrote umpire.yaml.',
    ...rows.map(([name, values]) => `  ${name.padEnd(10)} ${values.join(' · ') || 'none'}`),
    ...warnings.map((warning) => `! ${warning}`),
    next,
  ].join('\n')
}
