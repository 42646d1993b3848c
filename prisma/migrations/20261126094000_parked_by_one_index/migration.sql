-- Parked receipts by the provider's id. Where statistics say that none are parked, each index whose condition is "message_id" IS NULL
-- costs the same, and the planner read all of another one. This condition is written as one statement has it: no other index fits.

-- The lock comes first, so that nothing is done in vain without it.
LOCK TABLE "receipts" IN ACCESS EXCLUSIVE MODE;
-- Built before this script, while receipts are written.
CREATE INDEX IF NOT EXISTS "receipts_parked_by_id" ON "receipts" ("provider", "provider_message_id")
  WHERE COALESCE("message_id", '') = '';
-- Processes of the version before find the same receipts by the others, perhaps more slowly, for the minutes of an update.
DROP INDEX "receipts_parked";
