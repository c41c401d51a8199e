// The demo's tests: every function that greet.mjs exports must return a text that contains the name.
import * as greet from './greet.mjs'

for (const [name, say] of Object.entries(greet)) {
  const said = say('Ada')
  if (typeof said !== 'string' || !said.toLowerCase().includes('ada')) {
    console.error(`${name}('Ada') returned ${JSON.stringify(said)}`)
    process.exit(1)
  }
  console.log(`${name}: ${said}`)
}
