/**
 * Review texts with the right verdict. A file in corpus/ contains many:
 *
 *   === the name of the case
 *   @ auto json = CHANGES_REQUESTED (2)      by these channels; null: no verdict; (n): that many issues
 *   the text, up to the next ===
 */
import { readdirSync, readFileSync } from 'node:fs'
import { type Verdict, verdicts } from '../../src/core/review/review.ts'
import type { ChannelName } from '../../src/verdicts/channel.ts'
import { judge, usualChannels } from '../../src/verdicts/channels.ts'
import { oddCharacters } from './corpus/odd-characters.ts'

export interface Case {
  name: string
  text: string
  expect: Expectation[]
}

export interface Expectation {
  channel: 'auto' | ChannelName
  verdict: Verdict | null
  issues?: number
}

const folder = new URL('./corpus/', import.meta.url)

/** Every case of the corpus, by file. */
export function readCorpus(): Map<string, Case[]> {
  const files = readdirSync(folder).filter((name) => name.endsWith('.txt'))
  const texts = files.map((file): [string, Case[]] => [
    file,
    readCases(readFileSync(new URL(file, folder), 'utf8')),
  ])
  return new Map([...texts, ['odd-characters.ts', oddCharacters]])
}

/** The review that a loop would read from the text, at the usual minimum score and with no open issue. */
export function verdictOf(text: string, channel: Expectation['channel'] = 'auto') {
  const names = channel === 'auto' ? usualChannels : [channel]
  const judged = judge({ answer: text, handedIn: [] }, names, { minScore: 70, isLeftOpen: () => false })
  return judged.kind === 'review' ? judged.review : null
}

function readCases(file: string): Case[] {
  return file
    .split(/^=== /m)
    .slice(1)
    .map((part) => {
      const [name = '', ...lines] = part.split('\n')
      const expectations = lines.findIndex((line) => !line.startsWith('@ '))
      return {
        name,
        expect: lines.slice(0, expectations).flatMap(readExpectation),
        text: lines.slice(expectations).join('\n').replace(/\n\n$/, '\n'),
      }
    })
}

function readExpectation(line: string): Expectation[] {
  const parts = /^@ ([a-z -]+) = (\w+)(?: \((\d+)\))?$/.exec(line)
  const [, channels = '', word, issues] = parts ?? []
  const verdict = verdicts.find((known) => known === word) ?? null
  if (!parts || (verdict === null && word !== 'null')) throw new Error(`no expectation: ${line}`)
  return channels.split(' ').map((channel) => ({
    channel: channelOf(channel),
    verdict,
    ...(issues === undefined ? {} : { issues: Number(issues) }),
  }))
}

function channelOf(name: string): Expectation['channel'] {
  if (name === 'auto' || name === 'json' || name === 'verdict-line' || name === 'marker') return name
  throw new Error(`no channel: ${name}`)
}
