-- The failed messages of before, while messages are accepted and sent: those that have failed since are listed already.
INSERT INTO "failed_messages" ("account_id", "status", "message_id", "created_at")
  SELECT "account_id", "status", "id", "created_at" FROM "messages" WHERE "status" IN ('failed', 'undelivered')
  ORDER BY "account_id", "status", "id" ON CONFLICT DO NOTHING;

-- Without an index on what changes, an update of a message stays on its page. The page keeps room for it.
-- DropIndex
DROP INDEX "messages_account_id_status_id_idx";
DROP INDEX "messages_pending";
DROP INDEX "messages_unconfirmed";
ALTER TABLE "messages" SET (fillfactor = 50);
