-- When the question was taken back; such a turn is no longer part of its thread's past.
ALTER TABLE turns ADD COLUMN taken_back_at DOUBLE PRECISION;
