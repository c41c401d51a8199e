/**
 * Runs the witnesses of issues. A reviewer wrote these commands, and the diff may have told it what to write. So they run
 * in the sandbox, in a scratch checkout of the reviewed tree: they can write only that checkout, and have no network.
 * Without such a sandbox they are not run at all. `core/review/witness-proof.ts` decides what their result means.
 */
import { VcsError } from '../../core/errors.ts'
import type { EventData, NewEvent } from '../../core/event.ts'
import type { Loop } from '../../core/loop.ts'
import { mostWitnesses } from '../../core/policy/fixed-limits.ts'
import type { LedgerIssue, ProofOutcome } from '../../core/review/review-record.ts'
import { lastRun, outcomeOf, weigh } from '../../core/review/witness-proof.ts'
import type { Step } from '../../core/step.ts'
import { recordedHead } from '../place-of.ts'
import type { Performed, Ports } from '../ports.ts'
import { checkoutNeeds } from './checkout-needs.ts'
import { commandId, runProgram } from './run-command.ts'

type Found = Pick<EventData['issue.proven'], 'exitCode' | 'output'> & { outcome: ProofOutcome }

const longestOutput = 8_000

export async function runWitnesses(
  { issues: numbers, tree, review }: Step & { do: 'witness' },
  loop: Loop,
  ports: Ports,
  signal: AbortSignal,
): Promise<Performed> {
  const issues = loop.review.ledger.filter(({ number }) => numbers.includes(number))
  const found = await prove(issues, tree, loop, ports, signal)
  const proof = loop.policy?.proof ?? 'off'
  const events = issues.map((issue): NewEvent => {
    const what = found.get(issue.number) ?? notRun(`only ${mostWitnesses} witnesses are run per review`)
    const { number, witness } = issue
    const data = { issue: number, ...what, witness, tree, review, cycle: loop.review.cycle }
    const severity = weigh(issue, what.outcome, proof)
    return { type: 'issue.proven', data: review === null ? data : { ...data, severity } }
  })
  return { events }
}

async function prove(
  issues: LedgerIssue[],
  tree: string,
  loop: Loop,
  ports: Ports,
  signal: AbortSignal,
): Promise<Map<number, Found>> {
  const state = await ports.sandbox.withoutNetwork()
  if (state.kind !== 'works') {
    const why = notRun(`there is no sandbox for it: ${state.why}. ${state.fix}`)
    return new Map(issues.map(({ number }) => [number, why]))
  }
  const found = new Map<number, Found>()
  const wanted: { number: number; witness: [string, ...string[]] }[] = []
  for (const issue of issues) {
    const { number, witness } = issue
    const known = lastRun(issue)
    if (known?.tree === tree && known.outcome !== 'not run') {
      const { outcome, exitCode, output } = known
      found.set(number, { outcome, exitCode, output })
      continue
    }
    const [program, ...args] = witness ?? []
    const fault = program === undefined ? 'it has no witness' : faultOf([program, ...args])
    if (program !== undefined && fault === null) wanted.push({ number, witness: [program, ...args] })
    else {
      const outcome = program === undefined ? 'unproven' : 'unclear'
      found.set(number, { outcome, exitCode: null, output: fault ?? '' })
    }
  }
  const ran = await runAll(wanted.slice(0, mostWitnesses), tree, loop, ports, signal)
  return new Map([...found, ...ran])
}

/** Returns why a witness can't be run, or null. The name of its program must not look like an option or a variable. */
function faultOf(witness: [string, ...string[]]): string | null {
  if (witness.some((word) => word.includes('\0'))) return 'it contains a NUL character'
  if (witness[0] === '' || witness[0].startsWith('-') || witness[0].includes('='))
    return 'it does not name a program'
  return JSON.stringify(witness).length > longestWitness ? 'it is too long' : null
}

const longestWitness = 16_000

async function runAll(
  wanted: { number: number; witness: [string, ...string[]] }[],
  tree: string,
  loop: Loop,
  ports: Ports,
  signal: AbortSignal,
): Promise<Map<number, Found>> {
  const found = new Map<number, Found>()
  if (wanted.length === 0) return found
  const { vcs, settings } = ports
  // The name is unique per claim, so that a worker that lost its claim does not remove its successor's checkout.
  const scratch = commandId(loop, 'witness')
  // One time limit applies to all witnesses together.
  const limitMs = settings.limitsFor(loop.task).gate
  let spentMs = 0
  try {
    const head = recordedHead(loop)
    const commit = tree === loop.work.head?.tree ? head : await vcs.commitTree(tree, head)
    for (const { number, witness } of wanted) {
      if (spentMs >= limitMs) {
        found.set(number, notRun(`the witnesses before it used up the time limit (${limitMs / 1_000} s)`))
        continue
      }
      // Each witness gets a new checkout, without files that the one before it left, even ignored ones.
      const cwd = await vcs.openScratch(scratch, commit, checkoutNeeds(loop, ports), signal)
      const run = { id: commandId(loop, `witness-${number}`), cwd, limitMs: limitMs - spentMs }
      const { durationMs, ...what } = await runOne(witness, run, ports, signal)
      spentMs += durationMs
      found.set(number, what)
    }
  } catch (error) {
    // Umpire could not make its checkout. That says nothing about the issue.
    if (!(error instanceof VcsError) || signal.aborted) throw error
    for (const { number } of wanted) if (!found.has(number)) found.set(number, notRun(error.message))
  } finally {
    await vcs.removeCheckout(scratch)
  }
  return found
}

async function runOne(
  witness: [string, ...string[]],
  { id, cwd, limitMs }: { id: string; cwd: string; limitMs: number },
  ports: Ports,
  signal: AbortSignal,
): Promise<Found & { durationMs: number }> {
  const { sandbox, settings } = ports
  const env = { ...withoutServices(settings.env), PWD: cwd }
  const bounds = {
    cwd,
    env,
    writable: [cwd],
    state: [],
    steering: [],
    // Git runs in this checkout afterwards and follows this file, so the witness must not write it.
    kept: [`${cwd}/.git`],
    network: 'none' as const,
  }
  const argv = await sandbox.enter(['/bin/sh', '-c', wrapper, 'sh', ...witness], bounds)
  const ran = await runProgram({ id, argv, cwd, limitMs, env }, ports, signal)
  const { durationMs } = ran
  const begun = mark.exec(ran.output)
  // The sandbox itself failed. Its exit code must not count as proof.
  if (!begun) {
    const why = `its sandbox could not be made: ${ran.output.trim().slice(-longestOutput)}`
    return { ...notRun(why), durationMs }
  }
  const output = ran.output.slice(begun.index + begun[0].length).slice(-longestOutput)
  return { outcome: outcomeOf(ran.exitCode), exitCode: ran.exitCode, output, durationMs }
}

/** Reports that the sandbox works, and joins both outputs into one stream. The shell does not interpret the witness itself. */
const wrapper = 'exec 2>&1; echo begun; exec "$@"'
const mark = /^begun\n/m

function notRun(why: string): Found {
  return { outcome: 'not run', exitCode: null, output: why }
}

/**
 * The environment without variables that lead to services of the machine or of the person's session: keys, containers,
 * the desktop, other machines. It is for commands that no person has approved.
 */
export function withoutServices(env: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter(([name, value]) => !services.test(name) && !address.test(value)),
  )
}

const services =
  /^(?:SSH_AUTH_SOCK|SSH_AGENT_PID|GPG_AGENT_INFO|DBUS_.*|DOCKER_.*|CONTAINER_HOST|PODMAN_.*|KUBECONFIG|XDG_RUNTIME_DIR|XAUTHORITY|DISPLAY|WAYLAND_.*|PULSE_SERVER|PIPEWIRE_.*|NOTIFY_SOCKET|LISTEN_(?:FDS|PID|FDNAMES)|TMUX|STY|VSCODE_.*|.*_SOCK|.*_SOCKET)$/

/** Whether the value is the path of a socket, whatever the name of the variable. */
const address = /^(?:unix:|(?:\/var)?\/run\/.*\.sock(?:et)?$)/
