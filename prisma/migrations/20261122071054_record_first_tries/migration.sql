-- AlterTable
ALTER TABLE "webhook_deliveries" ADD COLUMN     "latency_ms" INTEGER,
ADD COLUMN     "response_head" TEXT,
ADD COLUMN     "status_code" INTEGER;

-- What the schema language cannot say.

-- Rows of versions before this one have random ids: the version digit of a UUIDv7 stands behind the time. They are found
-- by these indexes, and later rows by their derived ids, without an entry here (server/webhooks/derived-ids.ts).
CREATE INDEX "events_former_message" ON "events" ("message_id") WHERE substr("id", 15, 1) IN ('e', 'f');
CREATE INDEX "webhook_deliveries_former_event" ON "webhook_deliveries" ("event_id")
  WHERE substr("id", 15, 1) IN ('e', 'f');

-- DropIndex
DROP INDEX "events_account_id_id_idx";

-- DropIndex
DROP INDEX "events_message_id_idx";

-- DropIndex
DROP INDEX "webhook_deliveries_event_id_endpoint_id_key";
