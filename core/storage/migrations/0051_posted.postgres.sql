-- Which files people posted in a thread: a specialist fetches them by id when it is asked.
CREATE TABLE posted (
  thread TEXT NOT NULL,
  id TEXT NOT NULL,
  name TEXT NOT NULL,
  media_type TEXT NOT NULL,
  size BIGINT NOT NULL,
  noted_at DOUBLE PRECISION NOT NULL,
  PRIMARY KEY (thread, id)
);
CREATE INDEX posted_by_time ON posted (noted_at);
