/** What can be wrong with a review that a parser read: how to damage it, and what the checker must say. */
import { type Damaged, type Data, task } from './played-repository.ts'

const { parsed, revised } = task
const completed = (change: (data: Data) => void) => (it: Damaged) =>
  it.edit(parsed, 'review.completed', change)

export const damagesOfParsing: [string, (it: Damaged) => void, RegExp][] = [
  [
    'a reviewer is said to have parsed',
    completed((data) => Object.assign(data, { parsedBy: '21-4' })),
    /^reviews task\/21: review 21-4-review was parsed by session 21-4, which is a reviewer's$/,
  ],
  [
    'nobody of this task parsed',
    completed((data) => Object.assign(data, { parsedBy: '1-2' })),
    /^reviews task\/21: review 21-4-review was parsed by session 1-2, which this loop never started$/,
  ],
  [
    'a parser that failed is believed',
    completed((data) => Object.assign(data, { parsedBy: '21-5' })),
    /^reviews task\/21: review 21-4-review does not follow the end of its session 21-5$/,
  ],
  [
    'a parser reviews by itself',
    completed((data) => Object.assign(data, { session: '21-6' })),
    /^reviews task\/21: review 21-4-review is of session 21-6, which is a parser's$/,
  ],
  [
    'a parser read what another session said',
    completed((data) => Object.assign(data, { session: '21-2' })),
    /^reviews task\/21: review 21-4-review is not what was parsed: another session, tree or text$/,
  ],
  [
    'what was parsed is another text',
    (it) => it.edit(parsed, 'review.answered', (data) => Object.assign(data, { rawOutput: 'No.' })),
    /^reviews task\/21: review 21-4-review is not what was parsed: another session, tree or text$/,
  ],
  [
    'the reviewer had said nothing',
    (it) => it.blank(parsed, 'review.answered'),
    /^reviews task\/21: review 21-4-review was parsed although its reviewer had given no answer in plain words$/,
  ],
  [
    'the answer is of another tree',
    (it) => it.edit(parsed, 'review.answered', (data) => Object.assign(data, { tree: 'f'.repeat(40) })),
    /^reviews task\/21: review 21-4-review is answered of another tree or cycle than its session was given$/,
  ],
  [
    'the reviewer whose words were parsed had failed',
    (it) => it.edit(parsed, 'session.ended', (data) => Object.assign(data, { exitCode: 1 }), 3),
    /^reviews task\/21: review 21-4-review counts although its session ended as done with exit code 1$/,
  ],
  [
    'nobody is said to have parsed',
    completed((data) => Object.assign(data, { parsedBy: undefined })),
    /^reviews task\/21: review 21-4-review was parsed by session undefined, which this loop never started$/,
  ],
  [
    'a review that was read as it is names a parser',
    (it) => it.edit(revised, 'review.completed', (data) => Object.assign(data, { parsedBy: '1-4' })),
    /^reviews task\/1: review 1-4-review came by the channel \S+, and session 1-4 is said to have parsed it$/,
  ],
  [
    'the table names another parser',
    (it) => it.sql("UPDATE loop_reviews SET parsed_by = '21-3' WHERE id = '21-4-review'"),
    /^projections task\/21: loop_reviews row 21-4-review: parsedBy is "21-3", the journal says "21-6"$/,
  ],
]
