-- What a turn noted of itself: tools offered and withheld, calls, phases. As old as its evidence.
CREATE TABLE notes (
  turn TEXT PRIMARY KEY,
  body TEXT NOT NULL,
  made_at DOUBLE PRECISION NOT NULL
);
CREATE INDEX notes_by_time ON notes (made_at);
