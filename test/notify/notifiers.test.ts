import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { bellNotifier } from '../../src/notify/bell.ts'
import { commandNotifier } from '../../src/notify/command.ts'
import {
  type DesktopProgram,
  desktopCall,
  desktopNotifier,
  desktopPrograms,
} from '../../src/notify/desktop.ts'
import { webhookNotifier } from '../../src/notify/webhook.ts'
import { describeNotifier, notificationWith } from '../contract/notifier.ts'
import { openReceiver, type Receiver } from '../support/receiver.ts'
import { writeScript } from '../support/repository.ts'
import { isRunning, until } from '../support/umpire.ts'

const env = { PATH: process.env.PATH ?? '' }
const never = new AbortController().signal
const redact = (text: string) => text.replaceAll('s3cret', '[redacted]')
const notification = notificationWith('Add a greeting')

describeNotifier('the bell', async () => {
  const written: string[] = []
  const notifier = bellNotifier({ isTTY: true, write: (text) => written.push(text) })
  return {
    notifier,
    async arrived() {
      expect(written).toEqual(['\u0007'])
      return null
    },
  }
})

describeNotifier('a command, by its environment', async (folder) => {
  const command = 'printf "%s" "$UMPIRE_TITLE" > title; printf "%s" "$UMPIRE_MESSAGE" > message'
  return {
    notifier: commandNotifier({ command, cwd: folder, env, redact }),
    async arrived() {
      const read = (name: string) => readFileSync(join(folder, name), 'utf8')
      return { title: read('title'), text: read('message') }
    },
  }
})

describeNotifier('a command, by its standard input', async (folder) => ({
  notifier: commandNotifier({ command: 'cat > input', cwd: folder, env, redact }),
  async arrived() {
    const { title, message } = JSON.parse(readFileSync(join(folder, 'input'), 'utf8'))
    return { title, text: message }
  },
}))

describeNotifier('a webhook', async () => {
  const receiver = await openReceiver()
  return {
    notifier: webhookNotifier({ url: `${receiver.url}/hooks/s3cret?token=s3cret` }),
    async arrived() {
      const { title, message } = JSON.parse(receiver.received.at(-1)?.body ?? '')
      return { title, text: message }
    },
    close: receiver.close,
  }
})

/** What each program shows. The last two are assumptions: they were not tried on their systems. */
const shownBy: Record<DesktopProgram, (args: string[], stdin: string) => { title: string; text: string }> = {
  'notify-send'(args) {
    const [title = '', body = ''] = args.slice(args.indexOf('--') + 1)
    // Unescape like g_strcompress, then like a desktop that renders markup.
    const text = body
      .replace(/\\(.)/g, (_, character: string) => (character === '\\' ? '\\' : `<${character} was obeyed>`))
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&amp;', '&')
    return { title, text }
  },
  osascript: ([dash, title = '', text = '']) => {
    expect(dash).toBe('-')
    return { title, text }
  },
  'powershell.exe'(args, stdin) {
    expect(stdin).toMatch(/^[ -~]*$/)
    expect(args).toEqual(desktopCall('powershell.exe', notificationWith('else'), false).args)
    const { title, body } = JSON.parse(stdin)
    return { title, text: body }
  },
}

for (const kind of ['notify-send', 'osascript', 'powershell.exe'] as const) {
  describeNotifier(`the desktop, by ${kind}`, async (folder) => {
    const path = join(folder, 'bin', kind)
    writeScript(path, 'printf "%s\\0" "$@" > "$0.args"', 'cat > "$0.input"')
    return {
      notifier: desktopNotifier({ program: { kind, path }, sound: false, env }),
      async arrived() {
        const args = readFileSync(`${path}.args`, 'utf8').split('\0').slice(0, -1)
        return shownBy[kind](args, readFileSync(`${path}.input`, 'utf8'))
      },
    }
  })
}

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'umpire-notify-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('the bell', () => {
  it('is silent without a terminal', async () => {
    const written: string[] = []
    await bellNotifier({ write: (text) => written.push(text) }).send(notification, never)
    expect(written).toEqual([])
  })
})

describe('a command', () => {
  const send = (command: string, limitMs = 30_000, signal = never) =>
    commandNotifier({ command, cwd: folder, env, redact, limitMs }).send(notification, signal)

  it('gets what happened, what to do next and where', async () => {
    await send('env > env; cat > input; pwd > pwd')
    const read = (name: string) => readFileSync(join(folder, name), 'utf8')
    expect(read('env')).toContain('UMPIRE_EVENT=loop.blocked\n')
    expect(read('env')).toContain('UMPIRE_TASK=7\n')
    expect(read('env')).toContain('UMPIRE_NEXT=umpire show 7\n')
    expect(JSON.parse(read('input'))).toEqual(notification)
    expect(read('pwd').trim()).toBe(folder)
  })

  it('that fails is retried, and its last line is reported without secrets', async () => {
    expect(await send('echo first >&2; echo "no s3cret for you" >&2; exit 3')).toEqual({
      kind: 'failed',
      why: 'exit code 3: no [redacted] for you',
      again: 'later',
    })
    expect(await send('kill -9 $$')).toMatchObject({ why: 'it was killed', again: 'later' })
  })

  it('that does not exist is not retried', async () => {
    expect(await send('no-such-program-here')).toMatchObject({ kind: 'failed', again: 'never' })
  })

  it('is ended at its timeout', async () => {
    const delivery = await send('sleep 1000', 300)
    expect(delivery).toEqual({ kind: 'failed', why: 'it was stopped after 0.3 s', again: 'later' })
  })

  it('is ended when Umpire exits, with all its children, even those in another session', async () => {
    const left = 'setsid sh -c \'trap "" TERM; echo $$ > left; while :; do sleep 1; done\''
    const stop = new AbortController()
    const sending = send(`echo $$ > pid; ${left} & sleep 1000`, 600_000, stop.signal)
    const pids = ['pid', 'left'].map((name) => join(folder, name))
    await until(() => pids.every(readable), 'both processes')
    stop.abort()
    expect(await sending).toMatchObject({ kind: 'failed', again: 'later' })
    for (const pid of pids)
      await until(() => !isRunning(readFileSync(pid, 'utf8').trim()), 'the end of what the command started')
  })

  it('fails if its folder is gone', async () => {
    const notifier = commandNotifier({ command: 'true', cwd: join(folder, 'gone'), env, redact })
    expect(await notifier.send(notification, never)).toMatchObject({ kind: 'failed', again: 'later' })
  })
})

function readable(path: string): boolean {
  try {
    return readFileSync(path, 'utf8').endsWith('\n')
  } catch {
    return false
  }
}

describe('a webhook', () => {
  let receiver: Receiver | undefined
  afterEach(async () => {
    await receiver?.close()
    receiver = undefined
  })
  const answering = async (...answers: Parameters<typeof openReceiver>) => {
    receiver = await openReceiver(...answers)
    return webhookNotifier({ url: `${receiver.url}/hooks/s3cret?token=s3cret` })
  }

  it('gets JSON with a text for chat programs and all the fields for other programs', async () => {
    const notifier = await answering(204)
    expect(await notifier.send(notification, never)).toEqual({ kind: 'delivered' })
    const [posted] = receiver?.received ?? []
    expect(posted).toMatchObject({ method: 'POST', path: '/hooks/s3cret?token=s3cret' })
    expect(posted?.headers['content-type']).toBe('application/json; charset=utf-8')
    const { text, ...rest } = JSON.parse(posted?.body ?? '')
    expect(rest).toEqual(notification)
    expect(text).toBe(`${notification.title}\n${notification.message}\nNext: umpire show 7`)
  })

  it('mentions no one in a chat room, whatever a title contains', async () => {
    const notifier = await answering(200)
    await notifier.send(notificationWith('<!channel> <@U1> @everyone (@here) ada@example.com'), never)
    const { text } = JSON.parse(receiver?.received[0]?.body ?? '')
    expect(text).not.toMatch(/<|>|(^|\W)@\w/)
    expect(text).toContain('ada@example.com')
  })

  it.each([
    [500, 'later'],
    [503, 'later'],
    [429, 'later'],
    [408, 'later'],
    [400, 'never'],
    [404, 'never'],
    [410, 'never'],
  ] as const)('that answers %i is retried %s', async (status, again) => {
    const notifier = await answering(status)
    expect(await notifier.send(notification, never)).toEqual({
      ...{ kind: 'failed', why: `it answered ${status}`, again },
    })
  })

  it('is not called again before its Retry-After has passed', async () => {
    const notifier = await answering({ status: 429, headers: { 'retry-after': '7' } })
    expect(await notifier.send(notification, never)).toMatchObject({ again: 'later', afterMs: 7_000 })
  })

  it('is not followed when it redirects', async () => {
    const notifier = await answering({ status: 307, headers: { location: '/elsewhere' } }, 200)
    expect(await notifier.send(notification, never)).toMatchObject({ kind: 'failed', again: 'never' })
    expect(receiver?.received.map(({ path }) => path)).toEqual(['/hooks/s3cret?token=s3cret'])
  })

  it('that does not answer is given up at the timeout, or when Umpire exits', async () => {
    receiver = await openReceiver('hang')
    const { url, received } = receiver
    const delivery = await webhookNotifier({ url, limitMs: 200 }).send(notification, never)
    expect(delivery).toEqual({ kind: 'failed', why: 'no answer within 0.2 s', again: 'later' })
    received.length = 0
    const stop = new AbortController()
    const sending = webhookNotifier({ url, limitMs: 600_000 }).send(notification, stop.signal)
    await until(() => received.length === 1, 'the request')
    stop.abort()
    expect(await sending).toEqual({ kind: 'failed', why: 'no answer before Umpire ended', again: 'later' })
  })

  it('that can’t be reached is named by its host, never by its full address', async () => {
    const notifier = await answering(200)
    await receiver?.close()
    const delivery = await notifier.send(notification, never)
    expect(delivery).toEqual({ kind: 'failed', why: "it can't be reached (ECONNREFUSED)", again: 'later' })
    expect(notifier.name).toMatch(/^webhook 127\.0\.0\.1:\d+$/)
  })

  it('gets the name and password of its address as a header', async () => {
    receiver = await openReceiver(200)
    const url = receiver.url.replace('//', '//ada:s3cret%40@')
    const notifier = webhookNotifier({ url })
    expect(await notifier.send(notification, never)).toEqual({ kind: 'delivered' })
    const basic = Buffer.from('ada:s3cret@').toString('base64')
    expect(receiver.received[0]?.headers.authorization).toBe(`Basic ${basic}`)
    expect(notifier.name).not.toContain('s3cret')
  })
})

describe('the desktop', () => {
  it('makes a sound only when it is asked to', () => {
    const call = (kind: DesktopProgram, sound: boolean) =>
      JSON.stringify(desktopCall(kind, notification, sound))
    expect(call('notify-send', true)).toContain('--hint=string:sound-name:')
    expect(call('notify-send', false)).not.toContain('sound')
    expect(call('osascript', true)).toContain('sound name')
    expect(call('osascript', false)).not.toContain('sound')
    expect(desktopCall('powershell.exe', notification, true).stdin).toContain('"sound":true')
  })

  it('is reached by the program of each system', () => {
    expect(desktopPrograms('linux')).toEqual(['notify-send', 'powershell.exe'])
    expect(desktopPrograms('darwin')).toEqual(['osascript'])
    expect(desktopPrograms('win32')).toEqual(['powershell.exe'])
  })

  it('is not retried without a program, and is retried if the program fails', async () => {
    const none = desktopNotifier({ program: null, sound: false, env })
    expect(await none.send(notification, never)).toMatchObject({ kind: 'failed', again: 'never' })
    const path = join(folder, 'notify-send')
    mkdirSync(folder, { recursive: true })
    const gone = desktopNotifier({ program: { kind: 'notify-send', path }, sound: false, env })
    expect(await gone.send(notification, never)).toMatchObject({ kind: 'failed', again: 'never' })
    writeScript(path, 'echo "no session bus" >&2; exit 1')
    expect(await gone.send(notification, never)).toEqual({
      ...{ kind: 'failed', why: 'notify-send ended with 1: no session bus', again: 'later' },
    })
    writeScript(path, 'sleep 1000')
    const slow = { program: { kind: 'notify-send' as const, path }, sound: false, env, limitMs: 200 }
    expect(await desktopNotifier(slow).send(notification, never)).toMatchObject({ again: 'later' })
  })
})
