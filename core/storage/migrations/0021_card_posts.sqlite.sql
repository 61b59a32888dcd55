-- SQLite cannot widen a CHECK: the outbox is written anew, with the posts of cards. replaces is the
-- post that showed a copy of a card first.
CREATE TABLE outbox_wider (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  turn TEXT NOT NULL,
  surface TEXT NOT NULL,
  line TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('answer', 'private', 'file', 'card')),
  body TEXT NOT NULL,
  state TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'sent', 'failed')),
  attempt INTEGER NOT NULL DEFAULT 0,
  due_at DOUBLE PRECISION NOT NULL DEFAULT 0,
  lease DOUBLE PRECISION NOT NULL DEFAULT 0,
  platform_id TEXT,
  reason TEXT,
  closed_at DOUBLE PRECISION,
  replaces TEXT NOT NULL DEFAULT ''
);
INSERT INTO outbox_wider (seq, id, turn, surface, line, kind, body, state, attempt, due_at, lease,
                          platform_id, reason, closed_at)
  SELECT seq, id, turn, surface, line, kind, body, state, attempt, due_at, lease,
         platform_id, reason, closed_at
  FROM outbox;
DROP TABLE outbox;
ALTER TABLE outbox_wider RENAME TO outbox;
CREATE INDEX outbox_waiting ON outbox (surface, line, seq) WHERE state = 'waiting';
CREATE INDEX outbox_of_turn ON outbox (turn);
CREATE INDEX outbox_replaces ON outbox (replaces) WHERE replaces <> '';
