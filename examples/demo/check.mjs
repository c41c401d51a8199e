// The demo's tests: whatever greet.mjs exports must give a text with the name in it.
import * as greet from './greet.mjs'

for (const [name, say] of Object.entries(greet)) {
  const said = say('Ada')
  if (typeof said !== 'string' || !said.toLowerCase().includes('ada')) {
    console.error(`${name}('Ada') gave ${JSON.stringify(said)}`)
    process.exit(1)
  }
  console.log(`${name}: ${said}`)
}
