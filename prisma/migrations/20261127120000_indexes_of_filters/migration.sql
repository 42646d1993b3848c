-- An index with the id behind another column also fits a look-up by account and id: since PostgreSQL 18 it is searched once for each value of that
-- column. Where a connection has planned while there were few messages, that looked as cheap as the primary key, or cheaper. The conditions of
-- these indexes hold for every statement that compares their column, and for no other.

-- The lock comes first, so that nothing is done in vain without it.
LOCK TABLE "messages" IN ACCESS EXCLUSIVE MODE;
-- Built before this script, while messages are written.
CREATE INDEX IF NOT EXISTS "messages_to_number" ON "messages" ("account_id", "to_number", "id") WHERE "to_number" IS NOT NULL;
CREATE INDEX IF NOT EXISTS "messages_from_sender" ON "messages" ("account_id", "from_sender", "id") WHERE "from_sender" IS NOT NULL;
CREATE INDEX IF NOT EXISTS "messages_api_key" ON "messages" ("account_id", "api_key_id", "id") WHERE "api_key_id" IS NOT NULL;
DROP INDEX "messages_account_id_to_number_id_idx";
DROP INDEX "messages_account_id_from_sender_id_idx";
DROP INDEX "messages_account_id_api_key_id_id_idx";
