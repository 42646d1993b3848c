-- CreateIndex
CREATE INDEX "messages_account_id_from_sender_id_idx" ON "messages"("account_id", "from_sender", "id");

-- CreateIndex
CREATE INDEX "messages_account_id_api_key_id_id_idx" ON "messages"("account_id", "api_key_id", "id");

-- What the schema language cannot say.

-- Most messages have no reference, and cost this index nothing.
CREATE INDEX "messages_reference" ON "messages" ("account_id", "reference", "id") WHERE "reference" IS NOT NULL;

-- Events of versions before this one have random ids, which do not hold the time of the event (server/webhooks/derived-ids.ts).
CREATE INDEX "events_former_time" ON "events" ("account_id", "created_at") WHERE substr("id", 15, 1) IN ('e', 'f');
