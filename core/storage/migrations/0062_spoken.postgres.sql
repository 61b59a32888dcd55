-- What the answers of a thread rest on: whoever may not read it is not told of it by the past either.
CREATE TABLE spoken (
  turn TEXT NOT NULL,
  document TEXT NOT NULL,
  thread TEXT NOT NULL,
  PRIMARY KEY (turn, document)
);
CREATE INDEX spoken_of_thread ON spoken (thread);
