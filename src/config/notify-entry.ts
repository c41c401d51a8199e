/** One entry of `notify`: one way to reach the person, and its quiet hours. */
import * as z from 'zod'
import { parseQuietHours, quietRule } from '../core/policy/quiet-hours.ts'
import type { NotifyEntry } from './config.ts'

const textRule = 'must be text that is not empty'
const addressRule = 'must be an address that begins with https:// or http://'

const quiet = z.string(quietRule).transform((value, context) => {
  const hours = parseQuietHours(value)
  if (hours) return hours
  context.addIssue({ code: 'custom', message: quietRule })
  return z.NEVER
})

/** To switch a channel off, the user removes it. So every entry has an effect. */
const on = z.literal(true, 'must be true; to switch it off, leave the entry out')

const ways = ['bell', 'command', 'webhook', 'desktop'] as const

const notifyEntry = z.strictObject(
  {
    bell: on.optional(),
    command: z
      .string(textRule)
      .refine((value) => value.trim() !== '' && !value.includes('\0'), textRule)
      .optional(),
    webhook: z.string(addressRule).refine(isHttpAddress, addressRule).optional(),
    desktop: on.optional(),
    sound: z.boolean('must be true or false').optional(),
    quiet: quiet.optional(),
  },
  'must be a mapping: { bell: true }, { command: … }, { webhook: … } or { desktop: true }',
)

export const notifyEntries = z.array(
  notifyEntry,
  'must be a list: [{ bell: true }, { command: … }, { webhook: … }, { desktop: true }]',
)

/** Problems with entries in which every single value is valid. */
export function* notifyFaults(entries: FileEntry[]): Generator<{ path: (string | number)[]; text: string }> {
  const targets = entries.map(({ quiet: _, sound: __, ...way }) => JSON.stringify(way))
  for (const [place, entry] of entries.entries()) {
    const path = ['notify', place]
    const named = ways.filter((way) => entry[way] !== undefined)
    if (named.length === 0) yield { path, text: `needs one of ${ways.join(', ')}` }
    if (named.length > 1) yield { path, text: `has ${named.join(' and ')}; write a separate entry for each` }
    if (entry.sound !== undefined && entry.desktop === undefined && named.length > 0)
      yield { path: [...path, 'sound'], text: 'belongs to desktop' }
    if (named.length > 0 && targets.indexOf(targets[place] ?? '') < place)
      yield { path, text: 'repeats an earlier entry, so every notification would be sent twice' }
  }
}

type FileEntry = z.output<typeof notifyEntry>

function isHttpAddress(value: string): boolean {
  return URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)
}

/** Null for an entry that was refused. */
export function resolveEntry({
  bell,
  command,
  webhook,
  desktop,
  sound,
  quiet,
}: FileEntry): NotifyEntry | null {
  const hours = { quiet: quiet ?? null }
  if (bell) return { kind: 'bell', ...hours }
  if (command !== undefined) return { kind: 'command', command, ...hours }
  if (webhook !== undefined) return { kind: 'webhook', url: webhook, ...hours }
  return desktop ? { kind: 'desktop', sound: sound ?? false, ...hours } : null
}
