-- What the schema language cannot say.

-- An attempt that timed out keeps its unknown outcome for as long as its message is kept. Attempts under way are read every
-- second or two, so they have an index of their own. An ordinary attempt never enters the second one.
CREATE INDEX "message_attempts_under_way" ON "message_attempts" ("started_at") WHERE "outcome" IS NULL;
CREATE INDEX "message_attempts_unknown" ON "message_attempts" ("started_at") WHERE "outcome" = 'unknown';
