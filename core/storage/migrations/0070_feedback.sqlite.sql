-- What a person typed beside their opinion of an answer.
ALTER TABLE ratings ADD COLUMN words TEXT NOT NULL DEFAULT '';
