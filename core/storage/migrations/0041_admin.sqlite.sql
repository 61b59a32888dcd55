-- What was used, summed for each UTC day by the writes that add the entries themselves. Amounts are
-- whole picodollars (millionths of a millionth), so that sums are exact. spent holds the same sums
-- for those whom a budget can speak of: everyone, a person, a place; a span is a day or a month.
CREATE TABLE usage_days (
  day TEXT NOT NULL,
  person TEXT NOT NULL,
  place TEXT NOT NULL,
  model TEXT NOT NULL,
  tool TEXT NOT NULL,
  purpose TEXT NOT NULL,
  uses BIGINT NOT NULL,
  calls BIGINT NOT NULL,
  tokens BIGINT NOT NULL,
  picos BIGINT NOT NULL,
  unpriced BIGINT NOT NULL,
  PRIMARY KEY (day, person, place, model, tool, purpose)
) WITHOUT ROWID;
CREATE INDEX usage_of_person ON usage_days (person, day);
INSERT INTO usage_days
  SELECT strftime('%Y-%m-%d', started_at, 'unixepoch'), person, place, model, tool, purpose,
         count(*), sum(kind = 'chat'), sum(input_tokens + output_tokens),
         sum(CAST(round(CAST(coalesce(price, '0') AS REAL) * 1e12) AS INTEGER)), sum(price IS NULL)
  FROM entries GROUP BY 1, 2, 3, 4, 5, 6;

CREATE TABLE spent (
  scope TEXT NOT NULL,
  span TEXT NOT NULL,
  picos BIGINT NOT NULL,
  tokens BIGINT NOT NULL,
  PRIMARY KEY (scope, span)
) WITHOUT ROWID;
CREATE INDEX spent_in_span ON spent (span, scope);
INSERT INTO spent SELECT 'everyone', day, sum(picos), sum(tokens) FROM usage_days GROUP BY day;
INSERT INTO spent SELECT person, day, sum(picos), sum(tokens) FROM usage_days GROUP BY person, day;
INSERT INTO spent SELECT place, day, sum(picos), sum(tokens) FROM usage_days
  WHERE place <> '' GROUP BY place, day;
INSERT INTO spent SELECT scope, substr(span, 1, 7), sum(picos), sum(tokens) FROM spent
  GROUP BY scope, substr(span, 1, 7);

-- What running turns may still spend; of it, held is what calls under way may cost. clipped names
-- the budget that gave less than was asked for: one turn at a time may spend the end of a budget.
CREATE TABLE reservations (
  turn TEXT PRIMARY KEY,
  person TEXT NOT NULL,
  place TEXT NOT NULL,
  picos BIGINT NOT NULL,
  tokens BIGINT NOT NULL,
  held_picos BIGINT NOT NULL DEFAULT 0,
  held_tokens BIGINT NOT NULL DEFAULT 0,
  clipped TEXT NOT NULL DEFAULT '',
  reserved_at DOUBLE PRECISION NOT NULL
);

-- Budgets of which somebody was told that most of it is used, once in each span.
CREATE TABLE budget_warnings (
  budget TEXT NOT NULL,
  span TEXT NOT NULL,
  warned_at DOUBLE PRECISION NOT NULL,
  PRIMARY KEY (budget, span)
);

-- What admins did, for ever. The newest act about a subject is what lies over the file; an empty
-- value takes that away again.
CREATE TABLE acts (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  topic TEXT NOT NULL,
  subject TEXT NOT NULL,
  value TEXT NOT NULL,
  why TEXT NOT NULL,
  person TEXT NOT NULL,
  at DOUBLE PRECISION NOT NULL
);
CREATE INDEX acts_of_subject ON acts (topic, subject, seq);
CREATE TRIGGER acts_remain BEFORE DELETE ON acts
BEGIN
  SELECT RAISE(ABORT, 'an act of an admin is never deleted');
END;
CREATE TRIGGER acts_stay BEFORE UPDATE OF topic, value, at ON acts
BEGIN
  SELECT RAISE(ABORT, 'an act of an admin is never changed');
END;

-- Members of groups that others keep (Slack, Entra), as they were last seen.
CREATE TABLE memberships (
  origin TEXT PRIMARY KEY,
  members TEXT NOT NULL,
  fault TEXT NOT NULL DEFAULT '',
  seen_at DOUBLE PRECISION NOT NULL
);

-- Price lists that an operator brought; the newest counts for uses from then on.
CREATE TABLE price_lists (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  version TEXT NOT NULL,
  body TEXT NOT NULL,
  added_by TEXT NOT NULL,
  added_at DOUBLE PRECISION NOT NULL
);

CREATE INDEX entries_of_thread ON entries (thread);
CREATE INDEX entries_of_person ON entries (person, started_at);
CREATE INDEX turns_of_person ON turns (person);
CREATE INDEX turns_by_time ON turns (finished_at);
CREATE INDEX inbox_of_person ON inbox (person);

-- A person may be forgotten: the columns that say who it was become a pseudonym, no amount changes.
DROP TRIGGER entries_stay;
CREATE TRIGGER entries_stay BEFORE UPDATE OF seq, turn, round, purpose, tool, kind, provider, model,
  input_tokens, cached_tokens, cache_write_tokens, output_tokens, reasoning_tokens, pages, images,
  price, price_table, outcome, is_reported, attempt, started_at, seconds ON entries
BEGIN
  SELECT RAISE(ABORT, 'a ledger entry is never changed');
END;
DROP TRIGGER decisions_stay;
CREATE TRIGGER decisions_stay BEFORE UPDATE OF seq, call, moves, number, revision, tool, button,
  verdict, digest, policy_version, decided_at ON decisions
BEGIN
  SELECT RAISE(ABORT, 'a decision is never changed');
END;

-- Who asked to be forgotten, until that is done.
CREATE TABLE erasures (
  id TEXT PRIMARY KEY,
  persons TEXT NOT NULL,
  asked_at DOUBLE PRECISION NOT NULL,
  done_at DOUBLE PRECISION
);

-- What was accepted, to say what has changed since.
ALTER TABLE pins ADD COLUMN listing TEXT NOT NULL DEFAULT '';

-- Nobody's place is taken by somebody else: a name becomes a pseudonym and nothing else.
CREATE TRIGGER decisions_persons BEFORE UPDATE OF person ON decisions
  WHEN NEW.person NOT LIKE 'erased:%'
BEGIN
  SELECT RAISE(ABORT, 'a decision is never changed');
END;
CREATE TRIGGER entries_persons BEFORE UPDATE OF person ON entries
  WHEN NEW.person NOT LIKE 'erased:%'
BEGIN
  SELECT RAISE(ABORT, 'a ledger entry is never changed');
END;
