-- What a chat adapter has to remember across restarts: where people are reached, what was sent.
CREATE TABLE kept (
  surface TEXT NOT NULL,
  key TEXT NOT NULL,
  body TEXT NOT NULL,
  kept_at DOUBLE PRECISION NOT NULL,
  PRIMARY KEY (surface, key)
);
CREATE INDEX kept_by_time ON kept (kept_at);
-- What people think of answers. As old as the answer's turn is kept.
CREATE TABLE opinions (
  turn TEXT NOT NULL,
  person TEXT NOT NULL,
  reaction TEXT NOT NULL,
  words TEXT NOT NULL,
  given_at DOUBLE PRECISION NOT NULL,
  PRIMARY KEY (turn, person)
);
CREATE INDEX opinions_by_time ON opinions (given_at);
