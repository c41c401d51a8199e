/** What every notifier must do. A notifier's test calls this with a way to open it and to see what arrived. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { summarise } from '../../src/core/summary.ts'
import type { Notification, Notifier } from '../../src/notify/notifier.ts'
import { renderNotification, type ToldEvent } from '../../src/notify/render-notification.ts'
import { World } from '../core/world.ts'

export interface NotifierUnderTest {
  notifier: Notifier
  /** What the user sees of the last notification. Null if it carries no text. */
  arrived(): Promise<{ title: string; text: string } | null>
  close?(): Promise<void>
}

const hostile: Record<string, string> = {
  'shell words': '$(touch pwned) `touch pwned` ; touch pwned | touch pwned && touch pwned $HOME \u0024{HOME}',
  quotes: `it's "quoted" '"'"' \\" \\' "; touch pwned; "`,
  backslashes: '\\n \\t \\\\ C:\\new\\table \\0 \\x41 \\u0041',
  options: '--help -e "do shell script" -- -x --app-name=evil',
  'script text': '" & (do shell script "touch pwned") & "; Start-Process calc; $(Get-Date)',
  markup: '<b>bold</b> <a href="https://example.com">x</a> <!channel> <script>alert(1)</script> &amp; &lt;',
  mentions: '@everyone @here @channel, ada@example.com',
  escapes:
    '\u001b[31mred\u001b[0m \u001b]52;c;ZXZpbA==\u0007 \u001b]0;title\u001b\\ \u009b1A \u0007\u0008\u0000',
  'direction marks': '\u202etxt.exe\u202c \u2066a\u2069 \u200f \u2028 \u2029',
  'many lines': 'one\ntwo\r\nthree\n\n\tfour',
  'other scripts': 'Grüße, 世界, שלום, 👩‍💻 e\u0301',
  percent: '%s %n %d {0} {{x}} \u0024{x} %PATH%',
  'a long text': 'long '.repeat(20_000),
}

/**
 * Anything a terminal or a desktop might obey: control characters other than a newline, and marks that reverse the
 * writing direction.
 */
const obeyed = /[^\P{Cc}\n]|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u

export function notificationWith(text: string): Notification {
  const loop = new World({}, { title: text }).loop
  const event: ToldEvent = {
    ...{ seq: 7, stream: 'task/7', version: 3, at: '2026-01-01T12:00:00.000Z' },
    type: 'loop.blocked',
    data: { reason: 'rejected', detail: text, recovery: ['umpire show 7'], verdict: 'REJECTED', cycle: 1 },
  }
  const notification = renderNotification(event, [summarise(loop)], text)
  if (!notification) throw new Error('nothing is told')
  return notification
}

export function describeNotifier(name: string, open: (folder: string) => Promise<NotifierUnderTest>): void {
  describe(name, () => {
    let folder: string
    let under: NotifierUnderTest
    const never = new AbortController().signal
    beforeEach(async () => {
      folder = mkdtempSync(join(tmpdir(), 'umpire-notifier-'))
      under = await open(folder)
    })
    afterEach(async () => {
      await under.close?.()
      rmSync(folder, { recursive: true, force: true })
    })

    it.each(Object.entries(hostile))('delivers %s intact and harmless', async (_, text) => {
      const notification = notificationWith(text)
      expect(await under.notifier.send(notification, never)).toEqual({ kind: 'delivered' })
      const arrived = await under.arrived()
      if (arrived) {
        expect(arrived.title).toBe(notification.title)
        expect(arrived.text.startsWith(notification.message)).toBe(true)
        expect(arrived.title + arrived.text).not.toMatch(obeyed)
      }
      expect(readdirSync(folder, { recursive: true, encoding: 'utf8' }).join('\n')).not.toContain('pwned')
    })

    it('has no secret in its name', () => {
      expect(under.notifier.name).not.toMatch(/s3cret|\/\/|[^ -~]/)
    })

    it('returns a result when it is stopped before it began', async () => {
      const delivery = await under.notifier.send(notificationWith('Too late'), AbortSignal.abort())
      if (delivery.kind === 'failed') expect(delivery.again).toBe('later')
    })
  })
}
