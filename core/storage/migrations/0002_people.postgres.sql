-- Everybody who ever wrote to the bot, so that each is greeted once.
CREATE TABLE people (
  id TEXT PRIMARY KEY,
  met_at DOUBLE PRECISION NOT NULL
);
