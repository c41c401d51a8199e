/** `sessions`: one row for each agent process, from its start to its end. */
import type { StoredEvent } from '../../core/event.ts'
import { type Loop, loopName, runningSessions } from '../../core/loop.ts'
import type { SessionOutcome } from '../../core/session/session.ts'
import type { SessionRow, UsageRow } from '../archive.ts'
import type { Database } from './database.ts'

interface StoredSession {
  id: string
  task_id: number
  role: SessionRow['role']
  iteration: number
  cycle: number
  attempt: number
  agent: string
  model: string | null
  agent_session: string | null
  status: SessionRow['status']
  outcome: string | null
  token_hash: string
  exit_code: number | null
  started_at: string
  ended_at: string | null
  cost_usd: number | null
  tokens: number | null
  messages: number
  refused: string
}

/** Until a session has reported its number of messages, the stored ones are counted. */
const columns = `id, task_id, role, iteration, cycle, attempt, agent, model, agent_session, status, outcome, token_hash,
  exit_code, started_at, ended_at, cost_usd, tokens, refused,
  coalesce(messages, (SELECT max(sequence) + 1 FROM messages WHERE session_id = sessions.id), 0) AS messages`

export function sessionsTable(database: Database) {
  function start(event: StoredEvent & { type: 'session.started' }, loop: Loop): void {
    const { session, role, iteration, cycle, attempt, agent, model, tokenHash, prompt } = event.data
    const { reservedUsd } = event.data
    database
      .sql(
        `INSERT OR REPLACE INTO sessions (id, task_id, loop_id, run_id, role, iteration, cycle, attempt, agent, model,
          status, token_hash, started_at, reserved_usd, refused, seq, prompt)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'running', ?, ?, ?, '[]', ?, ?)`,
      )
      .run(
        session,
        loop.id,
        loopName(loop.id),
        loop.claim?.run ?? null,
        role,
        iteration,
        cycle,
        attempt,
        agent,
        model,
        tokenHash,
        event.at,
        reservedUsd ?? null,
        event.seq,
        prompt,
      )
  }

  function end(event: StoredEvent & { type: 'session.ended' }): void {
    const { session, outcome, exitCode, agentSession, messages, model, costUsd, tokens, refused } = event.data
    database
      .sql(
        `UPDATE sessions SET status = ?, outcome = ?, exit_code = ?, agent_session = coalesce(?, agent_session), model = coalesce(model, ?),
          ended_at = ?, cost_usd = ?, tokens = ?, messages = ?, refused = ? WHERE id = ?`,
      )
      .run(
        outcome.kind,
        JSON.stringify(outcome),
        exitCode,
        agentSession,
        model ?? null,
        event.at,
        costUsd,
        tokens,
        messages,
        JSON.stringify(refused),
        session,
      )
  }

  function identify({ session, agentSession }: { session: string; agentSession: string }): void {
    database.sql('UPDATE sessions SET agent_session = ? WHERE id = ?').run(agentSession, session)
  }

  /** Ends a session of which only the end is known. */
  function close(session: string, status: 'lost' | 'interrupted', at: string): void {
    database
      .sql('UPDATE sessions SET status = ?, ended_at = ? WHERE id = ? AND ended_at IS NULL')
      .run(status, at, session)
  }

  return {
    project(event: StoredEvent, before: Loop | null, after: Loop): void {
      if (event.type === 'session.started') start(event, after)
      if (event.type === 'session.identified') identify(event.data)
      if (event.type === 'session.ended') end(event)
      if (event.type === 'session.lost') close(event.data.session, 'lost', event.at)
      // A cancelled or deleted loop drops its session without an event for the session.
      const left = new Set(runningSessions(after).map(({ session }) => session))
      for (const { session } of before ? runningSessions(before) : [])
        if (!left.has(session)) close(session, 'interrupted', event.at)
    },

    ofTask(task: number): SessionRow[] {
      return database
        .sql<StoredSession>(`SELECT ${columns} FROM sessions WHERE task_id = ? ORDER BY seq`)
        .all(task)
        .map(toSession)
    },

    get(id: string): SessionRow | null {
      const row = database.sql<StoredSession>(`SELECT ${columns} FROM sessions WHERE id = ?`).get(id)
      return row ? toSession(row) : null
    },

    prompt(id: string): string | null {
      return (
        database.sql<{ prompt: string }>('SELECT prompt FROM sessions WHERE id = ?').get(id)?.prompt ?? null
      )
    },

    usage(): UsageRow[] {
      const day = 24 * 60 * 60 * 1000
      return database
        .sql<UsageRow>(
          `SELECT role, agent, model, count(*) AS sessions, sum(status = 'failed' OR status = 'lost') AS failed,
            CAST(round(${day} * total(julianday(ended_at) - julianday(started_at))) AS INTEGER) AS durationMs,
            sum(cost_usd) AS costUsd, sum(tokens) AS tokens,
            sum(cost_usd IS NULL AND ended_at IS NOT NULL) AS withoutCost
          FROM sessions GROUP BY role, agent, model
          ORDER BY costUsd DESC NULLS LAST, tokens DESC NULLS LAST, durationMs DESC`,
        )
        .all()
    },

    clear(): void {
      database.sql('DELETE FROM sessions').run()
    },
  }
}

function toSession(row: StoredSession): SessionRow {
  const outcome: SessionOutcome | null = row.outcome === null ? null : JSON.parse(row.outcome)
  return {
    id: row.id,
    task: row.task_id,
    role: row.role,
    iteration: row.iteration,
    cycle: row.cycle,
    attempt: row.attempt,
    agent: row.agent,
    model: row.model,
    agentSession: row.agent_session,
    status: row.status,
    outcome,
    tokenHash: row.token_hash,
    exitCode: row.exit_code,
    startedAt: row.started_at,
    endedAt: row.ended_at,
    costUsd: row.cost_usd,
    tokens: row.tokens,
    messages: row.messages,
    refused: JSON.parse(row.refused),
  }
}
