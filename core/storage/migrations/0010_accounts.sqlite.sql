-- Account links, the tokens that belong to them, and sign-ins under way. Every body is sealed;
-- account and id are digests, there to find a row and nothing else.
CREATE TABLE links (
  person TEXT PRIMARY KEY,
  account TEXT NOT NULL,
  body BLOB NOT NULL,
  linked_at DOUBLE PRECISION NOT NULL
);
CREATE INDEX links_of_account ON links (account);

CREATE TABLE tokens (
  person TEXT NOT NULL,
  provider TEXT NOT NULL,
  version TEXT NOT NULL,
  body BLOB NOT NULL,
  saved_at DOUBLE PRECISION NOT NULL,
  PRIMARY KEY (person, provider)
);

CREATE TABLE signins (
  id TEXT PRIMARY KEY,
  stage TEXT NOT NULL CHECK (stage IN ('offered', 'asked')),
  person TEXT NOT NULL,
  body BLOB NOT NULL,
  expires_at DOUBLE PRECISION NOT NULL
);
CREATE INDEX signins_by_expiry ON signins (expires_at);
CREATE INDEX signins_of_person ON signins (person);
