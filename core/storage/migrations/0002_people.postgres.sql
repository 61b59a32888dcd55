-- Everybody who ever wrote to the bot, so that each is greeted once.
CREATE TABLE people (
  id TEXT PRIMARY KEY,
  met_at DOUBLE PRECISION NOT NULL
);

-- One row that readiness writes, to know that writes are taken.
CREATE TABLE probe (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  written_at DOUBLE PRECISION NOT NULL
);
