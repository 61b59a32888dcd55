-- What is next is found by looking at the oldest, however many wait behind them.
CREATE INDEX inbox_next ON inbox (seq) WHERE state IN ('new', 'running');
CREATE INDEX outbox_next ON outbox (surface, (CASE kind WHEN 'card' THEN 0 ELSE 1 END), seq)
  WHERE state = 'waiting';
