/** Prepares a checkout before anything runs in it: copies, links, and the configured setup commands. */
import { SetupError } from '../../core/errors.ts'
import type { Loop } from '../../core/loop.ts'
import type { CheckoutNeeds } from '../../vcs/worktrees.ts'
import type { Ports } from '../ports.ts'
import { commandId, runCommand } from './run-command.ts'

export function checkoutNeeds(loop: Loop, ports: Ports): CheckoutNeeds {
  const { settings } = ports
  const limitMs = settings.limitsFor(loop.task).gate
  return {
    copy: settings.copy,
    link: settings.link,
    setup: async (path, signal) => {
      for (const [index, command] of settings.setup.entries()) {
        const id = commandId(loop, `setup-${index + 1}`)
        const ran = await runCommand({ id, command, cwd: path, limitMs }, ports, signal)
        if (ran.exitCode === 0) continue
        const how = ran.timedOut ? 'ran out of time' : `failed with exit code ${ran.exitCode}`
        const words = ran.output.trim().split('\n').slice(-3).join(' / ')
        throw new SetupError(
          `worktree.setup: ${JSON.stringify(command)} ${how}: ${words}`,
          'Fix the command in umpire.yaml.',
          { ...ran, command },
        )
      }
    },
  }
}
