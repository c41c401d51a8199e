import { expect, test } from 'vitest'
import { offeredTools } from '../../src/session-tools/server.ts'
import { sessionTools } from '../../src/verdicts/tool-names.ts'

/** Every `type` in the schema, at any depth. */
function typesIn(schema: unknown): unknown[] {
  if (typeof schema !== 'object' || schema === null) return []
  const { properties = {}, items, additionalProperties, type } = Object(schema)
  return [type, ...[...Object.values(properties), items, additionalProperties].flatMap(typesIn)]
}

test('each argument of a tool has one type, because Gemini warns about anything else at every call', () => {
  const types = offeredTools([...sessionTools]).flatMap(({ inputSchema }) => typesIn(inputSchema))
  expect(types.length).toBeGreaterThan(20)
  for (const type of types) expect(type).toEqual(expect.any(String))
})
