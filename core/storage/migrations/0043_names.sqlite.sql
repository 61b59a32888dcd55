-- The sums of a day under each name of each dimension alone: what is asked of everybody, without
-- reading one row for each person, place, model, tool and purpose that met.
CREATE TABLE usage_names (
  dimension TEXT NOT NULL,
  day TEXT NOT NULL,
  name TEXT NOT NULL,
  uses BIGINT NOT NULL,
  calls BIGINT NOT NULL,
  tokens BIGINT NOT NULL,
  picos BIGINT NOT NULL,
  unpriced BIGINT NOT NULL,
  likely BIGINT NOT NULL,
  PRIMARY KEY (dimension, day, name)
) WITHOUT ROWID;
CREATE INDEX usage_of_place ON usage_days (place, day);
INSERT INTO usage_names
  SELECT 'person', day, person, sum(uses), sum(calls), sum(tokens), sum(picos), sum(unpriced), sum(likely)
  FROM usage_days GROUP BY day, person;
INSERT INTO usage_names
  SELECT 'place', day, place, sum(uses), sum(calls), sum(tokens), sum(picos), sum(unpriced), sum(likely)
  FROM usage_days GROUP BY day, place;
INSERT INTO usage_names
  SELECT 'model', day, model, sum(uses), sum(calls), sum(tokens), sum(picos), sum(unpriced), sum(likely)
  FROM usage_days GROUP BY day, model;
INSERT INTO usage_names
  SELECT 'tool', day, tool, sum(uses), sum(calls), sum(tokens), sum(picos), sum(unpriced), sum(likely)
  FROM usage_days GROUP BY day, tool;
INSERT INTO usage_names
  SELECT 'purpose', day, purpose, sum(uses), sum(calls), sum(tokens), sum(picos), sum(unpriced), sum(likely)
  FROM usage_days GROUP BY day, purpose;
