-- Events are found by their account, type and id since 0.1.0, and listed in this order. As the key it is their only index: each
-- event had an entry in another one by its id alone.

-- The lock comes first, so that nothing is done in vain without it.
LOCK TABLE "events" IN ACCESS EXCLUSIVE MODE;
-- Built before this script, while events are written.
CREATE UNIQUE INDEX IF NOT EXISTS "events_key" ON "events" ("account_id", "type", "id");
ALTER TABLE "events" DROP CONSTRAINT "events_pkey";
ALTER TABLE "events" ADD CONSTRAINT "events_pkey" PRIMARY KEY USING INDEX "events_key";
DROP INDEX "events_account_id_type_id_idx";
