/**
 * The demo: a throwaway repository, four small tasks, and the whole loop with the scripted agent. One task is approved
 * at once, one is sent back and then approved, one fails its gate first, and one ends blocked. The last one is the
 * point: Umpire says when it needs you.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const umpire = fileURLToPath(new URL('../dist/main.js', import.meta.url))
const story = fileURLToPath(new URL('../examples/demo/', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'umpire-demo-'))

const git = (...args) => execFileSync('git', args, { cwd: folder, stdio: 'ignore' })
const run = (...args) =>
  spawnSync(process.execPath, [umpire, ...args], { cwd: folder, stdio: 'inherit' }).status
const say = (text) => console.log(`\n\u001b[1m$ umpire ${text}\u001b[0m`)

git('init', '--initial-branch=main')
git('config', 'user.name', 'Demo')
git('config', 'user.email', 'demo@localhost')
for (const name of ['umpire.yaml', 'script.yaml', 'greet.mjs', 'check.mjs'])
  copyFileSync(join(story, name), join(folder, name))
writeFileSync(join(folder, '.gitignore'), 'node_modules/\n')
git('add', '.')
git('commit', '--message', 'A program that says hello')

console.log(`A new repository in ${folder}. Its agents follow a script; everything else is real.`)
for (const [title, description] of [
  ['Say goodbye, too', 'greet.mjs gets a function goodbye(name).'],
  ['Greet in French', 'greet.mjs greets in French when asked to, with a test.'],
  ['Greet loudly', 'shout(name) greets in capitals.'],
  ['Delete all users', 'Something that a person should look at first.'],
]) {
  say(`add ${JSON.stringify(title)} -d ${JSON.stringify(description)}`)
  run('add', title, '-d', description)
}
say('work --parallel 2')
const code = run('work', '--parallel', '2')
say('status')
run('status')
console.log(`
Task 4 is waiting for you, so \`work\` ended with exit code ${code}. Look around:
  cd ${folder}
  node ${umpire} show 2        # the task with its issues, gates, reviews and sessions
  node ${umpire} diff 2        # what is on its branch
  node ${umpire} reviews 4     # why a person is needed
  ls .umpire/reviews           # one file per review
  git log --oneline --all --graph`)
process.exitCode = code === 3 ? 0 : 1
