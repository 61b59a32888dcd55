-- Documents that people may ask about: where they come from, who may read them, how they were cut.
CREATE TABLE document_sources (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('folder', 'drive')),
  name TEXT NOT NULL UNIQUE,
  place TEXT NOT NULL,
  owner TEXT NOT NULL,
  readers TEXT NOT NULL,
  link TEXT NOT NULL,
  cursor TEXT NOT NULL,
  problem TEXT NOT NULL,
  added_at DOUBLE PRECISION NOT NULL,
  synced_at DOUBLE PRECISION NOT NULL,
  held_by TEXT NOT NULL,
  held_until DOUBLE PRECISION NOT NULL
);
CREATE TABLE documents (
  id TEXT PRIMARY KEY,
  source TEXT NOT NULL,
  path TEXT NOT NULL,
  name TEXT NOT NULL,
  scope TEXT NOT NULL,
  stamp TEXT NOT NULL,
  digest TEXT NOT NULL,
  link TEXT NOT NULL,
  size BIGINT NOT NULL,
  pages BIGINT NOT NULL,
  chunks BIGINT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('reading', 'ready', 'failed')),
  problem TEXT NOT NULL,
  changed_at DOUBLE PRECISION NOT NULL,
  UNIQUE (source, path)
);
CREATE INDEX documents_by_digest ON documents (digest);
-- Each set of readers is a scope of the index; who is in it is decided when somebody asks.
CREATE TABLE reader_sets (
  scope TEXT PRIMARY KEY,
  readers TEXT NOT NULL
);
CREATE TABLE passages (
  id TEXT PRIMARY KEY,
  document TEXT NOT NULL,
  number BIGINT NOT NULL,
  page BIGINT NOT NULL,
  heading TEXT NOT NULL,
  start_at BIGINT NOT NULL,
  stop_at BIGINT NOT NULL
);
CREATE INDEX passages_of_document ON passages (document, number);
