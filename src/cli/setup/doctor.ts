import { examine } from '../../doctor/examine.ts'
import type { Finding } from '../../doctor/finding.ts'
import { printable } from '../../lib/text/printable.ts'
import { exitCodes } from '../exit-codes.ts'
import type { Invocation } from '../invocation.ts'
import { print, printJson } from '../screen/output.ts'

const marks: Record<Finding['state'], string> = { fine: '✓', doubtful: '!', wrong: '✗' }

export async function doctor(
  options: { deep?: boolean; json?: boolean },
  invocation: Invocation,
): Promise<number> {
  const checks = await examine(invocation, options.deep ? 'full' : 'quick')
  const ok = checks.every(({ state }) => state !== 'wrong')
  if (options.json) printJson({ ok, checks }, invocation)
  else for (const check of checks) print(printable(render(check)), invocation)
  return ok ? exitCodes.done : exitCodes.failed
}

/** Renders a finding as one line, with details and the fix below it. */
function render({ name, state, text, fix }: Finding): string {
  const [first = '', ...rest] = text.split('\n')
  const below = fix === null ? rest : [...rest, `→ ${fix}`]
  return [`${marks[state]} ${name}: ${first}`, ...below.map((line) => `    ${line}`)].join('\n')
}
