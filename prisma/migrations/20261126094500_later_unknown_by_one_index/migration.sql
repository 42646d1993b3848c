-- Where statistics are of a time without unknown attempts, the index of all of them costs the same, and the planner read every first one of
-- three days in it. This condition is written as one statement has it: no other index fits.

-- The lock comes first, so that nothing is done in vain without it.
LOCK TABLE "message_attempts" IN ACCESS EXCLUSIVE MODE;
-- Built before this script, while attempts are written.
CREATE INDEX IF NOT EXISTS "message_attempts_unknown_later" ON "message_attempts" ("started_at", "message_id")
  WHERE "outcome" || '' = 'unknown' AND "seq" > 1;
-- Processes of the version before find the same attempts by the others, perhaps more slowly, for the minutes of an update.
DROP INDEX "message_attempts_later_unknown";
