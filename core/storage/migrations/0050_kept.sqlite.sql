-- What a chat adapter has to remember across restarts: where people are reached, what was sent.
CREATE TABLE kept (
  surface TEXT NOT NULL,
  key TEXT NOT NULL,
  body TEXT NOT NULL,
  kept_at DOUBLE PRECISION NOT NULL,
  PRIMARY KEY (surface, key)
);
CREATE INDEX kept_by_time ON kept (kept_at);
