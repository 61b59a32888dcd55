-- Times are seconds since the epoch. A question's life is one row of inbox; what was said in the
-- end is a row of turns, which outlives it.
CREATE TABLE inbox (
  seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  delivery TEXT NOT NULL UNIQUE,
  thread TEXT NOT NULL,
  person TEXT NOT NULL,
  place TEXT NOT NULL,
  body TEXT NOT NULL,
  model TEXT NOT NULL,
  agent TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('new', 'running', 'done', 'failed', 'refused', 'dead')),
  attempt INTEGER NOT NULL DEFAULT 0,
  released INTEGER NOT NULL DEFAULT 0,
  owner TEXT,
  lease DOUBLE PRECISION,
  accepted_at DOUBLE PRECISION NOT NULL,
  claimed_at DOUBLE PRECISION,
  finished_at DOUBLE PRECISION
);
CREATE UNIQUE INDEX inbox_one_running ON inbox (thread) WHERE state = 'running';
CREATE INDEX inbox_open ON inbox (thread, seq) WHERE state IN ('new', 'running');
CREATE INDEX inbox_served ON inbox (thread, claimed_at);
CREATE INDEX inbox_finished ON inbox (finished_at);

CREATE TABLE turns (
  turn TEXT PRIMARY KEY,
  thread TEXT NOT NULL,
  person TEXT NOT NULL,
  place TEXT NOT NULL,
  outcome TEXT NOT NULL CHECK (outcome IN ('done', 'failed', 'dead')),
  question TEXT NOT NULL,
  answer TEXT NOT NULL,
  chips TEXT NOT NULL,
  files TEXT NOT NULL,
  asked_at DOUBLE PRECISION NOT NULL,
  finished_at DOUBLE PRECISION NOT NULL
);
CREATE INDEX turns_of_thread ON turns (thread, finished_at);

CREATE TABLE outbox (
  seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  turn TEXT NOT NULL,
  surface TEXT NOT NULL,
  line TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('answer', 'private', 'file')),
  body TEXT NOT NULL,
  state TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'sent', 'failed')),
  attempt INTEGER NOT NULL DEFAULT 0,
  due_at DOUBLE PRECISION NOT NULL DEFAULT 0,
  lease DOUBLE PRECISION NOT NULL DEFAULT 0,
  platform_id TEXT,
  reason TEXT,
  closed_at DOUBLE PRECISION
);
CREATE INDEX outbox_waiting ON outbox (surface, line, seq) WHERE state = 'waiting';
CREATE INDEX outbox_of_turn ON outbox (turn);

CREATE TABLE evidence (
  id TEXT PRIMARY KEY,
  turn TEXT NOT NULL,
  thread TEXT NOT NULL,
  person TEXT NOT NULL,
  tool TEXT NOT NULL,
  is_error INTEGER NOT NULL,
  body TEXT NOT NULL,
  made_at DOUBLE PRECISION NOT NULL
);
CREATE INDEX evidence_of_turn ON evidence (turn);
CREATE INDEX evidence_of_thread ON evidence (thread, made_at);

CREATE TABLE files (
  id TEXT PRIMARY KEY,
  turn TEXT NOT NULL,
  name TEXT NOT NULL,
  media_type TEXT NOT NULL,
  size BIGINT NOT NULL,
  content BYTEA NOT NULL,
  made_at DOUBLE PRECISION NOT NULL
);
CREATE INDEX files_of_turn ON files (turn);

CREATE TABLE entries (
  seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  turn TEXT NOT NULL,
  thread TEXT NOT NULL,
  person TEXT NOT NULL,
  place TEXT NOT NULL,
  round INTEGER NOT NULL,
  purpose TEXT NOT NULL,
  tool TEXT NOT NULL,
  kind TEXT NOT NULL,
  provider TEXT NOT NULL,
  model TEXT NOT NULL,
  input_tokens BIGINT NOT NULL,
  cached_tokens BIGINT NOT NULL,
  cache_write_tokens BIGINT NOT NULL,
  output_tokens BIGINT NOT NULL,
  reasoning_tokens BIGINT NOT NULL,
  pages BIGINT NOT NULL,
  images BIGINT NOT NULL,
  price TEXT,
  price_table TEXT NOT NULL,
  outcome TEXT NOT NULL,
  is_reported INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  started_at DOUBLE PRECISION NOT NULL,
  seconds DOUBLE PRECISION NOT NULL
);
CREATE INDEX entries_of_turn ON entries (turn, seq);
CREATE INDEX entries_by_time ON entries (started_at);
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'a ledger entry is never changed or deleted' USING ERRCODE = '23000';
END;
$$;
CREATE TRIGGER entries_stay BEFORE UPDATE OR DELETE ON entries
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER entries_remain BEFORE TRUNCATE ON entries
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE pins (
  seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  key TEXT NOT NULL,
  digest TEXT NOT NULL,
  accepted_by TEXT NOT NULL,
  accepted_at DOUBLE PRECISION NOT NULL
);
CREATE INDEX pins_of_key ON pins (key, seq);

CREATE TABLE checkpoints (
  turn TEXT NOT NULL,
  namespace TEXT NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  body BYTEA NOT NULL,
  PRIMARY KEY (turn, namespace)
);

CREATE TABLE embeddings (
  seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  scope TEXT NOT NULL,
  source TEXT NOT NULL,
  title TEXT NOT NULL,
  body TEXT NOT NULL,
  model TEXT NOT NULL,
  dimensions INTEGER NOT NULL,
  vector BYTEA NOT NULL
);
CREATE INDEX embeddings_of_scope ON embeddings (scope, seq);
CREATE INDEX embeddings_of_source ON embeddings (source);
CREATE INDEX embeddings_words ON embeddings
  USING gin (to_tsvector('simple', title || ' ' || body));
