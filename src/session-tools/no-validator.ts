/**
 * Takes the place, in the bundle, of the JSON Schema validator that the MCP library brings along. It is a third of all that
 * the server of a session would load before it can answer, and nothing here uses it: arguments are judged by
 * `umpire submit`'s own code, in words that an agent can act on.
 */
export { default as process } from 'node:process'

export class DefaultJsonSchemaValidator {
  getValidator(): never {
    throw new Error('schemas are not validated here; see src/session-tools/no-validator.ts')
  }
}
