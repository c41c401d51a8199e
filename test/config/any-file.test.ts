import { expect, test } from 'vitest'
import { stringify } from 'yaml'
import { checkLayer } from '../../src/config/check-layer.ts'
import { configKeys } from '../../src/config/config-keys.ts'
import { fileSchema } from '../../src/config/schema.ts'
import { parseYaml } from '../../src/config/yaml/parse-yaml.ts'
import { toPlain } from '../../src/config/yaml/source-tree.ts'
import { fc, samples } from '../support/random.ts'

/** Values that some key accepts, and values that no key accepts. */
const leaf = fc.oneof(
  fc.constantFrom(
    'mine',
    'scripted',
    'claude',
    'json',
    'parser',
    '10m',
    'low',
    'branch',
    'base',
    '.env',
    '../x',
    '',
  ),
  fc.constantFrom(0, 1, 50, 2.5, -1, true, false, null),
  fc.string(),
)
const value = fc.oneof(
  leaf,
  fc.array(leaf, { maxLength: 3 }),
  fc.dictionary(fc.string(), leaf, { maxKeys: 3 }),
)
const name = fc.constantFrom('mine', '1', 'constructor', 'toString', 'a.b', '', 'continue_session', 'parser')

/** Files with strange keys, and with known keys that are cut off at any depth and have strange values. */
const tree = fc
  .array(fc.tuple(fc.constantFrom(...configKeys()), name, fc.integer({ min: 1, max: 4 }), value), {
    maxLength: 12,
  })
  .map((settings) => {
    const top: Record<string, unknown> = {}
    for (const [key, anyName, depth, wanted] of settings) {
      const path = key.split('.').map((step) => (step === '*' ? anyName : step))
      put(top, [...path.slice(0, depth), ...(depth === 4 ? [anyName] : [])], wanted)
    }
    return top
  })

function put(map: Record<string, unknown>, [key = '', ...rest]: string[], value: unknown): void {
  if (rest.length === 0) {
    map[key] = value
    return
  }
  const below = Object.hasOwn(map, key) ? map[key] : undefined
  const next = isRecord(below) ? below : {}
  map[key] = next
  put(next, rest, value)
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

test('for any file, the rest is valid once its problems are removed, and every problem is reported', () => {
  fc.assert(
    fc.property(tree, (written) => {
      const parsed = parseYaml('umpire.yaml', stringify(written))
      if (parsed.kind === 'unreadable' || !parsed.root) return
      const problems = [...parsed.problems, ...checkLayer(parsed.root)]
      const left = toPlain(parsed.root)
      expect(fileSchema.safeParse(left).error?.issues).toBeUndefined()
      expect(checkLayer(parsed.root)).toEqual([])
      for (const problem of problems) expect(problem.line).toBeGreaterThan(0)
      if (problems.length === 0) expect(fileSchema.safeParse(withoutEmpty(written)).success).toBe(true)
    }),
    { numRuns: samples(300) },
  )
})

/** A heading with nothing below it is accepted, but the schema has no value for it. */
function withoutEmpty(value: unknown): unknown {
  if (!isRecord(value)) return value
  const entries = Object.entries(value).filter(([, below]) => below !== null)
  return Object.fromEntries(entries.map(([key, below]) => [key, withoutEmpty(below)]))
}
