/**
 * Sends JSON to an HTTP address. The address itself is often the secret, so errors name only the host.
 */

import { codeOf } from '../lib/error-code.ts'
import { type Delivery, failed, type Notification, type Notifier, wholeText } from './notifier.ts'

export interface WebhookOptions {
  url: string
  limitMs?: number
}

const defaultLimitMs = 10_000

/** The longest pause that a server may ask for with `Retry-After`. */
const longestPauseMs = 3_600_000

export function webhookNotifier({ url, limitMs = defaultLimitMs }: WebhookOptions): Notifier {
  const { address, headers } = addressOf(url)
  return {
    name: `webhook ${address.host}`,
    async send(notification, signal) {
      const limit = AbortSignal.timeout(limitMs)
      try {
        const response = await fetch(address, {
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json; charset=utf-8', 'user-agent': 'umpire' },
          body: webhookBody(notification),
          // A redirect would send the text to a receiver that the person has not named.
          redirect: 'manual',
          signal: AbortSignal.any([signal, limit]),
        })
        await response.body?.cancel()
        return deliveryOf(response)
      } catch (error) {
        if (limit.aborted) return failed(`no answer within ${limitMs / 1000} s`, 'later')
        if (signal.aborted) return failed('no answer before Umpire ended', 'later')
        return failed(causeOf(error), 'later')
      }
    },
  }
}

/** Chat programs show `text`. The other keys are for programs. */
export function webhookBody(notification: Notification): string {
  return JSON.stringify({ text: withoutMentions(wholeText(notification)), ...notification })
}

/**
 * A title must not alert a whole chat room. `<!channel>` and `<https://…|text>` are commands in some chat programs,
 * `@everyone` in others. So angle brackets become look-alikes, and an @ is separated from the name after it.
 */
function withoutMentions(text: string): string {
  return text
    .replaceAll('<', '‹')
    .replaceAll('>', '›')
    .replace(/(^|[^\w.+-])@(?=\w)/g, '$1@\u200b')
}

/** `fetch` refuses a name and password in an address, so they go into a header. */
function addressOf(url: string): { address: URL; headers: Record<string, string> } {
  const address = new URL(url)
  if (address.username === '' && address.password === '') return { address, headers: {} }
  const pair = `${decodeURIComponent(address.username)}:${decodeURIComponent(address.password)}`
  address.username = ''
  address.password = ''
  return { address, headers: { authorization: `Basic ${Buffer.from(pair).toString('base64')}` } }
}

function deliveryOf({ ok, status, headers }: Response): Delivery {
  if (ok) return { kind: 'delivered' }
  const answer = `it answered ${status}`
  if (status >= 300 && status < 400)
    return failed(`${answer}, a redirect, which Umpire does not follow; configure the new address`, 'never')
  if (status === 408 || status === 425 || status === 429 || status >= 500)
    return failed(answer, 'later', pauseOf(headers.get('retry-after')))
  return failed(answer, 'never')
}

function pauseOf(seconds: string | null): number | undefined {
  if (seconds === null || !/^\d{1,6}$/.test(seconds)) return undefined
  return Math.min(Number(seconds) * 1000, longestPauseMs)
}

/** The message of `fetch` may contain the address. The system's error code, such as ECONNREFUSED, does not. */
function causeOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : null
  const code = codeOf(cause)
  return typeof code === 'string' && /^[A-Z_\d]+$/.test(code)
    ? `it can't be reached (${code})`
    : "it can't be reached"
}
