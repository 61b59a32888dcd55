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
);
CREATE INDEX usage_of_person ON usage_days (person, day);
INSERT INTO usage_days
  SELECT to_char(to_timestamp(started_at) AT TIME ZONE 'UTC', 'YYYY-MM-DD'), person, place, model, tool, purpose,
         count(*), sum(CASE WHEN kind = 'chat' THEN 1 ELSE 0 END), sum(input_tokens + output_tokens),
         sum(round(coalesce(price, '0')::numeric * 1000000000000)::bigint),
         sum(CASE WHEN price IS NULL THEN 1 ELSE 0 END)
  FROM entries GROUP BY 1, 2, 3, 4, 5, 6;

CREATE TABLE spent (
  scope TEXT NOT NULL,
  span TEXT NOT NULL,
  picos BIGINT NOT NULL,
  tokens BIGINT NOT NULL,
  PRIMARY KEY (scope, span)
);
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
  seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  topic TEXT NOT NULL,
  subject TEXT NOT NULL,
  value TEXT NOT NULL,
  why TEXT NOT NULL,
  person TEXT NOT NULL,
  at DOUBLE PRECISION NOT NULL
);
CREATE INDEX acts_of_subject ON acts (topic, subject, seq);
CREATE FUNCTION refuse_act_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'an act of an admin is never changed or deleted' USING ERRCODE = '23000';
END;
$$;
CREATE TRIGGER acts_stay BEFORE UPDATE OF topic, value, at OR DELETE ON acts
  FOR EACH ROW EXECUTE FUNCTION refuse_act_change();

-- Members of groups that others keep (Slack, Entra), as they were last seen.
CREATE TABLE memberships (
  origin TEXT PRIMARY KEY,
  members TEXT NOT NULL,
  fault TEXT NOT NULL DEFAULT '',
  seen_at DOUBLE PRECISION NOT NULL
);

-- Price lists that an operator brought; the newest counts for uses from then on.
CREATE TABLE price_lists (
  seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
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
DROP TRIGGER entries_stay ON entries;
CREATE TRIGGER entries_stay BEFORE DELETE OR UPDATE OF seq, turn, round, purpose, tool, kind,
  provider, model, input_tokens, cached_tokens, cache_write_tokens, output_tokens, reasoning_tokens,
  pages, images, price, price_table, outcome, is_reported, attempt, started_at, seconds ON entries
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
DROP TRIGGER decisions_stay ON decisions;
CREATE TRIGGER decisions_stay BEFORE UPDATE OF seq, call, moves, number, revision, tool, button,
  verdict, digest, policy_version, decided_at ON decisions
  FOR EACH ROW EXECUTE FUNCTION refuse_decision_change();

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
  FOR EACH ROW WHEN (NEW.person NOT LIKE 'erased:%') EXECUTE FUNCTION refuse_decision_change();
CREATE TRIGGER entries_persons BEFORE UPDATE OF person ON entries
  FOR EACH ROW WHEN (NEW.person NOT LIKE 'erased:%') EXECUTE FUNCTION refuse_change();
