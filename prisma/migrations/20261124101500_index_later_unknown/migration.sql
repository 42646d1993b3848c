-- What the schema language cannot say.

-- Every minute a sweep goes through the later attempts of unknown outcome of three days. Most unknown attempts are the first of
-- their message.
CREATE INDEX IF NOT EXISTS "message_attempts_later_unknown" ON "message_attempts" ("started_at", "message_id")
  WHERE "outcome" = 'unknown' AND "seq" > 1;
