/** How reviews are requested and read, according to the configuration. */
import { type Agent, hasTools } from '../agents/agent.ts'
import type { Config } from '../config/config.ts'
import { parseCommand, type ReviewCommand, usualCommand } from '../core/policy/review-command.ts'
import type { Known, Settings } from '../loop/ports.ts'
import { type ChannelChoice, instructionsFor, judge } from '../verdicts/channels.ts'
import { freeForm, isForParser, parserChannels, speaksAgainst } from '../verdicts/parser.ts'
import { parserSchema, reviewSchema, unclear } from '../verdicts/shape/review-schema.ts'

type ReviewSettings = Pick<
  Settings,
  | 'reviewCommand'
  | 'instructionsFor'
  | 'schemaFor'
  | 'judge'
  | 'hasParser'
  | 'isForParser'
  | 'judgeParsed'
  | 'unclear'
>

export function reviewSettings({ review, templates }: Config, channels: ChannelChoice[]): ReviewSettings {
  const against = (known: Known) => ({ minScore: review.minScore, ...known })
  return {
    reviewCommand: reviewCommand(review.command, templates.review?.text ?? null),
    instructionsFor(agent, role, witnesses) {
      const told = instructionsFor(
        (role === 'parser' ? (['structured', 'json'] as const) : channels).filter((channel) =>
          isUsable(channel, agent),
        ),
        hasTools(agent, 'reviewer') ? 'mcp' : 'none',
        witnesses,
      )
      return told.length > 0 ? told : [freeForm]
    },
    schemaFor(role) {
      if (role === 'parser') return parserSchema
      return role === 'reviewer' && channels.includes('structured') ? reviewSchema : null
    },
    judge: (evidence, known) => judge(evidence, channels, against(known)),
    hasParser: channels.includes('parser'),
    isForParser: (evidence) => isForParser(evidence, channels),
    judgeParsed(evidence, text, known) {
      const judged = judge(evidence, parserChannels, against(known))
      if (judged.kind === 'malformed' || judged.review.verdict !== 'APPROVED') return judged
      const why = speaksAgainst(text, against(known))
      if (why === null) return judged
      return { kind: 'malformed', why: `it approves, but the review itself does not: ${why}` }
    },
    unclear,
  }
}

function reviewCommand(command: string, template: string | null): ReviewCommand {
  const parsed = parseCommand(command)
  if (template !== null)
    return { command, asks: { by: 'template', text: template, arguments: parsed?.arguments ?? '' } }
  return { command, asks: { by: `/${parsed?.name}` === usualCommand ? 'own' : 'agent' } }
}

/** An agent is told only about channels that it can use. Its answer is still read by every channel. */
function isUsable(channel: ChannelChoice, { abilities }: Agent): boolean {
  return channel !== 'structured' || (abilities?.includes('structured') ?? false)
}
