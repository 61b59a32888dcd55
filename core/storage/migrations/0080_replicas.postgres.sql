-- Several processes work on one database: a call that is carried out and a post that is brought
-- belong to one of them until the lease, which its owner moves for as long as it lives.
ALTER TABLE parked ADD COLUMN owner TEXT NOT NULL DEFAULT '';
ALTER TABLE parked ADD COLUMN lease DOUBLE PRECISION NOT NULL DEFAULT 0;
ALTER TABLE outbox ADD COLUMN owner TEXT NOT NULL DEFAULT '';

-- What one process at a time does for all.
CREATE TABLE duties (
  name TEXT PRIMARY KEY,
  owner TEXT NOT NULL,
  lease DOUBLE PRECISION NOT NULL
);

-- When calls were let out that a platform counts over all processes; line is a digest of what they
-- are counted under. Until then the row is of use.
CREATE TABLE moments (
  line TEXT PRIMARY KEY,
  taken TEXT NOT NULL,
  held DOUBLE PRECISION NOT NULL,
  until DOUBLE PRECISION NOT NULL
);
