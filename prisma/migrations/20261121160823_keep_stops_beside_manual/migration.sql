-- DropIndex
DROP INDEX "suppressions_account_id_number_sender_id_key";

-- CreateIndex
CREATE UNIQUE INDEX "suppressions_account_id_number_sender_id_reason_key" ON "suppressions"("account_id", "number", "sender_id", "reason");
