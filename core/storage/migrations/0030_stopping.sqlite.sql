-- When a person stopped the turn; it counts as failed then, and nothing is posted for it.
ALTER TABLE inbox ADD COLUMN stopped_at DOUBLE PRECISION;
CREATE INDEX inbox_stopped ON inbox (stopped_at) WHERE stopped_at IS NOT NULL;

-- What people think of answers: the newest of each person.
CREATE TABLE ratings (
  turn TEXT NOT NULL,
  person TEXT NOT NULL,
  is_good INTEGER NOT NULL,
  rated_at DOUBLE PRECISION NOT NULL,
  PRIMARY KEY (turn, person)
);
CREATE INDEX ratings_by_age ON ratings (rated_at);
