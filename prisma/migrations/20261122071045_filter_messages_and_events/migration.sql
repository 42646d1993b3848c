-- CreateIndex
CREATE INDEX "messages_account_id_from_sender_id_idx" ON "messages"("account_id", "from_sender", "id");

-- CreateIndex
CREATE INDEX "messages_account_id_api_key_id_id_idx" ON "messages"("account_id", "api_key_id", "id");

-- CreateIndex
CREATE INDEX "events_account_id_created_at_id_idx" ON "events"("account_id", "created_at", "id");

-- What the schema language cannot say.

-- Most messages have no reference, and cost this index nothing.
CREATE INDEX "messages_reference" ON "messages" ("account_id", "reference", "id") WHERE "reference" IS NOT NULL;
