/** A developer and a reviewer in one small program. Real agents think; this one only does what the example needs. */
import { existsSync, writeFileSync } from 'node:fs'

const [role] = process.argv.slice(2)
const again = process.env.UMPIRE_CYCLE !== '1'
if (role === 'developer') {
  writeFileSync('greet.mjs', "console.log('Hello')\nconsole.log('Goodbye')\n")
  if (again) writeFileSync('greet.test.mjs', "import './greet.mjs'\n")
  console.log('Done.')
} else if (existsSync('greet.test.mjs')) {
  console.log('It says goodbye, and there is a test.\nTHUMBS UP')
} else {
  console.log('It says goodbye, but there is no test.\nTHUMBS DOWN')
}
