import { openRepository } from '../../app/repository.ts'
import { showConfig } from '../../app/show-config.ts'
import { spelledOut } from '../../lib/text/printable.ts'
import { yamlScalar } from '../../lib/text/yaml-scalar.ts'
import type { Invocation } from '../invocation.ts'
import { print, printJson } from '../screen/output.ts'

export async function config(options: { json?: boolean }, invocation: Invocation): Promise<void> {
  const shown = await showConfig(await openRepository(invocation.cwd, invocation.env))
  if (options.json) {
    const values = shown.map(({ key, value, source }) => [key, { value, source }])
    return printJson({ values: Object.fromEntries(values) }, invocation)
  }
  const lines = shown.map(({ key, value, source }) => [spelledOut(`${key}: ${render(value)}`), source])
  // A long value moves only its own remark to the right, not the remarks of all other lines.
  const width = Math.min(60, Math.max(...lines.map(([text = '']) => text.length)))
  for (const [text = '', source = ''] of lines)
    print(`${text.padEnd(width)}  # ${spelledOut(source)}`, invocation)
}

/** Renders a value as YAML on one line. */
function render(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(render).join(', ')}]`
  if (typeof value === 'string') return yamlScalar(value)
  if (typeof value !== 'object' || value === null) return String(value)
  const entries = Object.entries(value).map(([key, inner]) => `${key}: ${render(inner)}`)
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`
}
