-- A use of which the provider did not say all that it counted (its answer broke off, or was stopped):
-- units and price are what it said; what it likely comes to in all is estimated, for budgets and as
-- a hint. usage_days.likely are picodollars beyond the known ones.
ALTER TABLE entries ADD COLUMN is_partial INTEGER NOT NULL DEFAULT 0;
ALTER TABLE entries ADD COLUMN likely_tokens BIGINT NOT NULL DEFAULT 0;
ALTER TABLE entries ADD COLUMN likely_price TEXT;
ALTER TABLE usage_days ADD COLUMN likely BIGINT NOT NULL DEFAULT 0;

DROP TRIGGER entries_stay ON entries;
CREATE TRIGGER entries_stay BEFORE DELETE OR UPDATE OF seq, turn, round, purpose, tool, kind,
  provider, model, input_tokens, cached_tokens, cache_write_tokens, output_tokens, reasoning_tokens,
  pages, images, price, price_table, outcome, is_reported, attempt, started_at, seconds, is_partial,
  likely_tokens, likely_price ON entries
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
