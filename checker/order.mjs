/** The journal itself: numbers without gaps over all events and within each stream, and times that never go back. */
import { violation } from './violation.mjs'

const streamName = /^(task|run)\/[1-9]\d*$/
const firstOf = { task: 'task.added', run: 'run.started' }

export function* checkOrder(events) {
  let seq = 0
  const latest = new Map()
  for (const event of events) {
    const { stream, version, at, type } = event
    if (event.seq !== seq + 1) yield violation(event, `seq ${seq} is followed by ${event.seq}`)
    seq = event.seq
    if (!event.readable) yield violation(event, `the data of ${type} is no JSON object`)

    const before = latest.get(stream)
    latest.set(stream, event)
    if (!streamName.test(stream)) {
      yield violation(event, 'there is no such kind of stream')
      continue
    }
    if (version !== (before?.version ?? 0) + 1) {
      yield violation(event, `version ${before?.version ?? 0} is followed by ${version}`)
    }
    const first = firstOf[stream.split('/')[0]]
    if (before === undefined && type !== first)
      yield violation(event, `it begins with ${type}, not with ${first}`)
    if (before !== undefined && type === first) yield violation(event, `${type} comes a second time`)

    if (Number.isNaN(Date.parse(at))) yield violation(event, `${JSON.stringify(at)} is no time`)
    else if (before !== undefined && Date.parse(at) < Date.parse(before.at)) {
      yield violation(event, `its time ${at} is before that of the event before it, ${before.at}`)
    }
  }
}
