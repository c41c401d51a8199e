/** Simple moves of a person by their names. */
import type { Move } from '../../src/core/person/move.ts'

export const plainMoves = {
  retry: { kind: 'retry', why: null },
  cancel: { kind: 'cancel', why: null },
  review: { kind: 'review', why: null },
  improve: { kind: 'improve', note: null, text: null },
  merge: { kind: 'merge', why: null },
  approve: { kind: 'verdict', verdict: 'APPROVED', why: null },
} satisfies Record<string, Move>

export type PlainMove = keyof typeof plainMoves
