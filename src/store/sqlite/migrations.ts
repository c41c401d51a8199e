/**
 * The tables, as numbered steps. A released step is never edited: a change of the tables is a new step at the end. The
 * file's `user_version` is the number of steps already taken.
 */
import type { Connection } from './sqlite-driver.ts'

const steps: string[] = [
  `
  -- The journal. seq has no gaps over all, version none within its stream.
  CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    stream TEXT NOT NULL,
    version INTEGER NOT NULL,
    at TEXT NOT NULL,
    type TEXT NOT NULL,
    data TEXT NOT NULL,
    UNIQUE (stream, version)
  );

  -- From here to gate_results: projections of the journal, written with it.
  CREATE TABLE tasks (
    id INTEGER PRIMARY KEY,
    title TEXT NOT NULL,
    type TEXT NOT NULL,
    status TEXT NOT NULL,
    verdict TEXT,
    reason TEXT,
    cycle INTEGER NOT NULL,
    max_cycles INTEGER,
    iteration INTEGER NOT NULL,
    cost_usd REAL,
    started_at TEXT,
    ended_at TEXT,
    summary TEXT NOT NULL
  );
  CREATE INDEX tasks_by_end ON tasks (status IN ('completed', 'cancelled'), ended_at, id);

  CREATE TABLE loops (
    task_id INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    run_id INTEGER,
    phase TEXT NOT NULL,
    iteration INTEGER NOT NULL,
    cycle INTEGER NOT NULL,
    review_status TEXT NOT NULL,
    last_review_id TEXT,
    revision_attempts INTEGER NOT NULL,
    last_checkpoint_review_at TEXT,
    version INTEGER NOT NULL,
    state TEXT NOT NULL
  );

  CREATE TABLE runs (
    id INTEGER PRIMARY KEY,
    effort TEXT,
    parallel INTEGER,
    pid INTEGER,
    started_at TEXT,
    ended_at TEXT,
    outcome TEXT,
    worked TEXT
  );

  CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    task_id INTEGER NOT NULL,
    loop_id TEXT NOT NULL,
    run_id INTEGER,
    role TEXT NOT NULL,
    iteration INTEGER NOT NULL,
    cycle INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    agent TEXT NOT NULL,
    model TEXT,
    agent_session TEXT,
    status TEXT NOT NULL,
    outcome TEXT,
    token_hash TEXT NOT NULL,
    exit_code INTEGER,
    started_at TEXT NOT NULL,
    ended_at TEXT,
    cost_usd REAL,
    tokens INTEGER,
    messages INTEGER,
    refused TEXT NOT NULL,
    seq INTEGER NOT NULL,
    prompt TEXT NOT NULL
  );
  CREATE INDEX sessions_by_task ON sessions (task_id, seq);

  CREATE TABLE loop_reviews (
    id TEXT PRIMARY KEY,
    run_id INTEGER,
    loop_id TEXT NOT NULL,
    task_id INTEGER,
    kind TEXT NOT NULL,
    cycle INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    passed INTEGER NOT NULL,
    verdict TEXT NOT NULL,
    blocking INTEGER NOT NULL,
    summary TEXT NOT NULL,
    interpreted_intent TEXT,
    intent_satisfied INTEGER,
    scores TEXT NOT NULL,
    tree TEXT NOT NULL,
    session_id TEXT NOT NULL,
    command TEXT NOT NULL,
    channel TEXT NOT NULL,
    reviewed_at TEXT NOT NULL,
    cost_usd REAL,
    seq INTEGER NOT NULL,
    raw_output TEXT NOT NULL
  );
  CREATE INDEX loop_reviews_by_task ON loop_reviews (task_id, seq);

  -- One finding of one review. number: under which the loop's ledger knows it. status: what the reviewer said of it.
  CREATE TABLE review_issues (
    loop_review_id TEXT REFERENCES loop_reviews (id) ON DELETE CASCADE,
    loop_id TEXT,
    position INTEGER NOT NULL,
    number INTEGER,
    id TEXT,
    file TEXT,
    line INTEGER,
    section TEXT,
    type TEXT NOT NULL,
    severity TEXT NOT NULL,
    description TEXT NOT NULL,
    suggestion TEXT,
    witness TEXT,
    status TEXT,
    PRIMARY KEY (loop_review_id, position)
  );

  CREATE TABLE gate_results (
    seq INTEGER PRIMARY KEY,
    task_id INTEGER NOT NULL,
    loop_id TEXT NOT NULL,
    name TEXT NOT NULL,
    command TEXT NOT NULL,
    kind TEXT NOT NULL,
    passed INTEGER NOT NULL,
    exit_code INTEGER,
    timed_out INTEGER NOT NULL,
    tree TEXT NOT NULL,
    duration_ms INTEGER NOT NULL,
    at TEXT NOT NULL,
    output TEXT NOT NULL
  );
  CREATE INDEX gate_results_by_task ON gate_results (task_id, seq);

  -- The one table that is not folded from the journal. The long column comes last, so that the others are found
  -- without reading through it. A table of the WITHOUT ROWID kind takes a page of its own for every line over 1 KB.
  CREATE TABLE messages (
    session_id TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    source TEXT NOT NULL,
    type TEXT NOT NULL,
    end_offset INTEGER NOT NULL,
    at TEXT NOT NULL,
    content TEXT NOT NULL,
    PRIMARY KEY (session_id, sequence)
  );
  CREATE INDEX messages_of_stderr ON messages (session_id, sequence) WHERE source = 'stderr';

  -- The local queue. Ids are never used twice: an offer or a claim that was made anew is another one.
  CREATE TABLE offers (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    task_id INTEGER NOT NULL UNIQUE
  );
  CREATE TABLE claims (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    task_id INTEGER NOT NULL UNIQUE,
    offer_id INTEGER NOT NULL,
    state TEXT NOT NULL,
    owner TEXT NOT NULL
  );
  `,
  `
  -- What people are still to be told, by event and channel; not folded from the journal. due: milliseconds since 1970.
  CREATE TABLE notices (
    seq INTEGER NOT NULL,
    channel TEXT NOT NULL,
    at TEXT NOT NULL,
    state TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    due INTEGER NOT NULL,
    owner TEXT,
    error TEXT,
    notification TEXT NOT NULL,
    PRIMARY KEY (seq, channel)
  );
  -- Up to which event a channel has its notices.
  CREATE TABLE notice_cursors (
    channel TEXT PRIMARY KEY,
    seen INTEGER NOT NULL,
    at TEXT NOT NULL
  );
  `,
  `
  -- The folded state has more to it now. An empty one is folded anew from the journal when it is next wanted.
  UPDATE loops SET state = '';
  `,
  `
  -- And more once more. parsed_by: the session of the parser that made a review of what the reviewer said.
  UPDATE loops SET state = '';
  ALTER TABLE loop_reviews ADD COLUMN parsed_by TEXT;
  `,
  `
  -- What is shown of a task has more to it, too. None of it was there before but the step that a person asked for.
  UPDATE tasks SET summary = json_set(summary, '$.heldBy', json('[]'), '$.behind', NULL, '$.target', NULL,
    '$.lastCheckpointReviewAt', NULL,
    '$.landedOn', CASE WHEN json_extract(summary, '$.landed') IS NOT NULL THEN json_extract(summary, '$.base') END,
    '$.hand', (SELECT json_extract(state, '$.hand') FROM loops WHERE task_id = tasks.id AND state <> ''));
  UPDATE loops SET state = '';

  -- reserved_usd: what a session was expected to cost; counted until it tells, and for good where it never does.
  ALTER TABLE sessions ADD COLUMN reserved_usd REAL;
  CREATE INDEX sessions_by_run ON sessions (run_id);
  CREATE INDEX sessions_by_end ON sessions (ended_at);
  CREATE INDEX sessions_by_role ON sessions (role, seq);

  -- seats: what each reviewer of a panel said, as JSON. A checkpoint belongs to a loop and is no review of its task.
  ALTER TABLE loop_reviews ADD COLUMN seats TEXT;
  CREATE INDEX loop_reviews_by_loop ON loop_reviews (loop_id, seq);

  -- Granted to sessions of which the journal does not know yet; not folded from it. warned: what is said with the session.
  CREATE TABLE reservations (
    session_id TEXT PRIMARY KEY,
    task_id INTEGER NOT NULL,
    run_id INTEGER,
    worker TEXT NOT NULL,
    usd REAL NOT NULL,
    warned TEXT NOT NULL,
    owner TEXT NOT NULL
  );

  -- The network ports of the loops that are worked on; not folded from the journal, either.
  CREATE TABLE port_ranges (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    task_id INTEGER NOT NULL UNIQUE,
    first INTEGER NOT NULL,
    count INTEGER NOT NULL,
    owner TEXT NOT NULL
  );
  `,
  `
  -- The state of a loop is cut into slices now.
  UPDATE loops SET state = '';
  `,
]

export const latestVersion = steps.length

export function schemaVersion(database: Pick<Connection, 'sql'>): number {
  return database.sql<{ user_version: number }>('PRAGMA user_version').get()?.user_version ?? 0
}

/** Takes the missing steps. Must be called under the write lock. If another process was first, nothing is missing. */
export function migrate(connection: Connection): void {
  for (let version = schemaVersion(connection); version < latestVersion; version += 1) {
    connection.exec(steps[version] ?? '')
    connection.exec(`PRAGMA user_version = ${version + 1}`)
  }
}
