-- AlterTable
ALTER TABLE "messages" ADD COLUMN     "expires_at" TIMESTAMPTZ(3),
ADD COLUMN     "scheduled_at" TIMESTAMPTZ(3),
ADD COLUMN     "validity_s" INTEGER;

-- AlterTable
ALTER TABLE "pending_messages" ADD COLUMN     "expires_at" TIMESTAMPTZ(3);

-- What the schema language cannot say.

-- Most messages have no validity period, and cost this index nothing.
CREATE INDEX "pending_messages_expires_at" ON "pending_messages" ("expires_at") WHERE "expires_at" IS NOT NULL;

-- As before, but a scheduled message is listed as pending since the time at which it is due. The sweeps, also those of the
-- version before, read this list in the order of that time, and so do not meet what is not due.
CREATE OR REPLACE FUNCTION "enter_status_lists"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO pending_messages (account_id, message_id, created_at, expires_at)
    SELECT account_id, id, COALESCE(scheduled_at, created_at), expires_at FROM entering WHERE status = 'pending';
  INSERT INTO sent_messages (account_id, message_id, created_at, sent_at)
    SELECT account_id, id, created_at, sent_at FROM entering WHERE status = 'sent';
  INSERT INTO failed_messages (account_id, status, message_id, created_at)
    SELECT account_id, status, id, created_at FROM entering WHERE status IN ('failed', 'undelivered');
  RETURN NULL;
END $$;
