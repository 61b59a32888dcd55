-- Calls that wait for a person. body is the whole record; the columns beside it are what statements
-- compare, and they win over the body.
CREATE TABLE parked (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  turn TEXT NOT NULL,
  ask TEXT NOT NULL,
  thread TEXT NOT NULL,
  requester TEXT NOT NULL,
  authority TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('parked', 'approved', 'executing', 'done', 'failed',
                                       'unknown', 'cancelled', 'expired', 'void')),
  revision INTEGER NOT NULL,
  moves INTEGER NOT NULL DEFAULT 0,
  body TEXT NOT NULL,
  parked_at DOUBLE PRECISION NOT NULL,
  expires_at DOUBLE PRECISION NOT NULL,
  reminded_at DOUBLE PRECISION,
  escalated_at DOUBLE PRECISION,
  UNIQUE (turn, ask)
);
CREATE INDEX parked_open ON parked (state, expires_at)
  WHERE state IN ('parked', 'approved', 'executing');
CREATE INDEX parked_of_thread ON parked (thread, seq);

-- Where a card is shown; post is the first outbox post of that copy.
CREATE TABLE card_copies (
  call TEXT NOT NULL,
  name TEXT NOT NULL,
  post TEXT NOT NULL,
  surface TEXT NOT NULL,
  address TEXT NOT NULL,
  person TEXT NOT NULL,
  PRIMARY KEY (call, name)
);
CREATE INDEX card_copies_by_post ON card_copies (post);

-- Who has had the whole of a card that was too long before their eyes.
CREATE TABLE card_readings (
  call TEXT NOT NULL,
  revision INTEGER NOT NULL,
  person TEXT NOT NULL,
  read_at DOUBLE PRECISION NOT NULL,
  PRIMARY KEY (call, revision, person)
);

-- Who decided what, when, on the strength of which rules. moves is the move of the row that the
-- decision was: one move, at most one decision.
CREATE TABLE decisions (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  call TEXT NOT NULL,
  moves INTEGER NOT NULL,
  number BIGINT NOT NULL,
  revision INTEGER NOT NULL,
  tool TEXT NOT NULL,
  person TEXT NOT NULL,
  button TEXT NOT NULL,
  verdict TEXT NOT NULL,
  digest TEXT NOT NULL,
  policy_version TEXT NOT NULL,
  reason TEXT NOT NULL,
  delivery TEXT NOT NULL,
  decided_at DOUBLE PRECISION NOT NULL,
  UNIQUE (call, moves)
);
CREATE INDEX decisions_by_time ON decisions (decided_at);

-- What came of it in the end. Outlives the parked call, which holds what was written.
CREATE TABLE outcomes (
  call TEXT PRIMARY KEY,
  state TEXT NOT NULL,
  request_id TEXT NOT NULL,
  ended_at DOUBLE PRECISION NOT NULL
);
CREATE TRIGGER decisions_stay BEFORE UPDATE ON decisions
BEGIN
  SELECT RAISE(ABORT, 'a decision is never changed');
END;
