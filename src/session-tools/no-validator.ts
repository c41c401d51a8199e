/**
 * Replaces, in the bundle, the JSON Schema validator of the MCP library. The validator is a third of what the server
 * would have to load before it can answer, and nothing here uses it: `umpire submit`'s own code checks the arguments,
 * with messages that an agent can act on.
 */
export { default as process } from 'node:process'

export class DefaultJsonSchemaValidator {
  getValidator(): never {
    throw new Error('schemas are not validated here; see src/session-tools/no-validator.ts')
  }
}
