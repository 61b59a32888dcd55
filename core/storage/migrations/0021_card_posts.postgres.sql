-- The posts of cards. replaces is the post that showed a copy of a card first.
ALTER TABLE outbox DROP CONSTRAINT outbox_kind_check;
ALTER TABLE outbox ADD CONSTRAINT outbox_kind_check
  CHECK (kind IN ('answer', 'private', 'file', 'card'));
ALTER TABLE outbox ADD COLUMN replaces TEXT NOT NULL DEFAULT '';
CREATE INDEX outbox_replaces ON outbox (replaces) WHERE replaces <> '';
