-- AlterTable
ALTER TABLE "message_attempts" ADD COLUMN     "fault" TEXT,
ADD COLUMN     "looked_up_at" TIMESTAMPTZ(3),
ADD COLUMN     "said" TEXT;

-- What the schema language cannot say.

-- Receipts that came before the answer of their own send, by age: for the sweep that joins them, and to forget them.
CREATE INDEX "receipts_parked_since" ON "receipts" ("received_at") WHERE "message_id" IS NULL;
