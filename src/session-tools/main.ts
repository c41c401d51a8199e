/**
 * The tools of an agent session, as an MCP server:
 *
 *   session-tools.js FOLDER                  the agent starts it and talks to it over standard input and output
 *   session-tools.js FOLDER --http -- ARGV   it starts the agent, which reaches it over loopback
 *
 * FOLDER contains the description of the session.
 */
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { UserError } from '../core/errors.ts'
import { createServer } from './server.ts'
import { readSessionBrief } from './session-brief.ts'

async function main([folder, way, dashes, program, ...args]: string[]): Promise<void> {
  const usage = new UserError('Wrong use.', 'session-tools.js FOLDER [--http -- PROGRAM [ARGUMENT…]]')
  if (folder === undefined) throw usage
  const brief = await readSessionBrief(folder)
  if (way === undefined) {
    serveStdio(() => createServer(brief))
    return
  }
  if (way !== '--http' || dashes !== '--' || program === undefined) throw usage
  const { runWithHttp } = await import('./run-with-http.ts')
  process.exitCode = await runWithHttp(brief, [program, ...args])
}

main(process.argv.slice(2)).catch((error: unknown) => {
  const words = error instanceof UserError ? `${error.message} ${error.fix}` : String(error)
  process.stderr.write(`umpire session-tools: ${words}\n`)
  process.exitCode = 2
})
