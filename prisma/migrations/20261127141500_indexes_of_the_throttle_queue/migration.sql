-- These indexes end with the id of a message, so since PostgreSQL 18 they also fit a look-up by it alone: each is then searched once for every tag, that is,
-- read whole. By statistics of pages without rows, which vacuum leaves where it may not shorten the table, that looks as cheap as the primary
-- key. Their condition holds for every statement that compares the provider, and for no other.

-- The lock comes first, so that nothing is done in vain without it.
LOCK TABLE "waiting_messages" IN ACCESS EXCLUSIVE MODE;
-- Built before this script, while messages enter and leave the queue.
CREATE INDEX IF NOT EXISTS "waiting_messages_order" ON "waiting_messages" ("provider", "tag", "message_id") WHERE "provider" IS NOT NULL;
CREATE INDEX IF NOT EXISTS "waiting_messages_order_of_senders" ON "waiting_messages" ("provider", "account_id", "sender", "tag", "message_id") WHERE "provider" IS NOT NULL;
DROP INDEX "waiting_messages_provider_tag_message_id_idx";
DROP INDEX "waiting_messages_provider_account_id_sender_tag_message_id_idx";
