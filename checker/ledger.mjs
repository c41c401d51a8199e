/**
 * The issues of a task by number, as the journal records them. A waived issue stays waived and never blocks. A witness
 * changes the severity of an issue as long as it is still that issue's witness.
 */
export function openLedger() {
  const issues = new Map()

  function apply({ type, data }) {
    const known = issues.get(data.issue)
    if (type === 'issue.waived' && known) issues.set(data.issue, { ...known, status: 'waived' })
    if (known?.status === 'waived') return
    if (type === 'issue.opened') {
      const { id = null, file = null, type: kind, severity, description = '', witness = null } = data.reported
      const found = { alias: id, file, kind, severity, description, witness, late: data.late === true }
      const isSame = known && sameWitness(known.witness, witness)
      issues.set(data.issue, {
        number: data.issue,
        status: 'open',
        ...found,
        proof: isSame ? known.proof : null,
      })
    }
    if (type === 'issue.resolved' && known) issues.set(data.issue, { ...known, status: 'resolved' })
    if (type === 'issue.proven' && known && sameWitness(known.witness, data.witness))
      issues.set(data.issue, { ...known, proof: data, severity: data.severity ?? known.severity })
  }

  return {
    apply,
    get: (number) => issues.get(number),
    blocking: () =>
      [...issues.values()].filter(({ status, severity }) => status === 'open' && severity === 'blocking'),
    /** A reviewer may still report a waived issue, in the same words or by its number. */
    isWaived: (reported) =>
      [...issues.values()].some((issue) => issue.status === 'waived' && isSame(issue, reported)),
  }
}

export function sameWitness(one, other) {
  return JSON.stringify(one ?? null) === JSON.stringify(other ?? null)
}

function isSame(issue, { id, file, type, description }) {
  if (id != null && [issue.alias, String(issue.number)].includes(String(id).replace(/^#/, ''))) return true
  if (id != null && id === issue.alias) return true
  const plain = (text) => (text ?? '').trim().replace(/\s+/g, ' ').toLowerCase()
  const path = (text) => (text ?? '').replace(/^(\.\/)+/, '')
  const isSamePlace = issue.kind === type && path(issue.file) === path(file)
  return isSamePlace && plain(issue.description) === plain(description)
}
