-- AlterTable
ALTER TABLE "providers" ADD COLUMN     "held_since" TIMESTAMPTZ(3);

-- CreateIndex
CREATE INDEX "waiting_messages_provider_account_id_sender_tag_message_id_idx" ON "waiting_messages"("provider", "account_id", "sender", "tag", "message_id");

-- CreateIndex
CREATE INDEX "waiting_messages_provider_created_at_idx" ON "waiting_messages"("provider", "created_at");
