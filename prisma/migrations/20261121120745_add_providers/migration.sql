-- AlterTable
ALTER TABLE "accounts" ADD COLUMN     "allowed_countries" TEXT[] DEFAULT ARRAY[]::TEXT[],
ADD COLUMN     "daily_spend_cap_micros" BIGINT,
ADD COLUMN     "flood_identical" INTEGER,
ADD COLUMN     "flood_total" INTEGER;

-- AlterTable
ALTER TABLE "receipts" ADD COLUMN     "reference" TEXT;

-- AlterTable
ALTER TABLE "senders" ADD COLUMN     "max_segments_per_second" DOUBLE PRECISION;

-- CreateTable
CREATE TABLE "attempt_parts" (
    "provider" TEXT NOT NULL,
    "provider_message_id" TEXT NOT NULL,
    "message_id" TEXT NOT NULL,
    "seq" SMALLINT NOT NULL,
    "status" TEXT,

    CONSTRAINT "attempt_parts_pkey" PRIMARY KEY ("provider","provider_message_id")
);

-- CreateTable
CREATE TABLE "waiting_messages" (
    "message_id" TEXT NOT NULL,
    "provider" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "sender" TEXT NOT NULL,
    "segments" SMALLINT NOT NULL,
    "seq" SMALLINT NOT NULL,
    "tag" DOUBLE PRECISION NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "waiting_messages_pkey" PRIMARY KEY ("message_id")
);

-- CreateTable
CREATE TABLE "pace_buckets" (
    "id" TEXT NOT NULL,
    "tokens" DOUBLE PRECISION NOT NULL,
    "refilled_at" TIMESTAMPTZ(3) NOT NULL,
    "virtual_time" DOUBLE PRECISION NOT NULL DEFAULT 0,

    CONSTRAINT "pace_buckets_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "providers" (
    "id" TEXT NOT NULL,
    "settings_sealed" TEXT,
    "is_drained" BOOLEAN NOT NULL DEFAULT false,
    "max_segments_per_second" DOUBLE PRECISION,
    "breaker" TEXT NOT NULL DEFAULT 'closed',
    "open_until" TIMESTAMPTZ(3),
    "opens" INTEGER NOT NULL DEFAULT 0,
    "probes_left" INTEGER NOT NULL DEFAULT 0,
    "alarm" TEXT,
    "health" DOUBLE PRECISION NOT NULL DEFAULT 1,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "providers_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "provider_minutes" (
    "provider" TEXT NOT NULL,
    "minute" TIMESTAMPTZ(0) NOT NULL,
    "accepted" INTEGER NOT NULL DEFAULT 0,
    "refused" INTEGER NOT NULL DEFAULT 0,
    "failed" INTEGER NOT NULL DEFAULT 0,
    "throttled" INTEGER NOT NULL DEFAULT 0,
    "account_refused" INTEGER NOT NULL DEFAULT 0,
    "message_refused" INTEGER NOT NULL DEFAULT 0,
    "unknown" INTEGER NOT NULL DEFAULT 0,
    "latency_ms" BIGINT NOT NULL DEFAULT 0,
    "slow" INTEGER NOT NULL DEFAULT 0,
    "receipts" INTEGER NOT NULL DEFAULT 0,
    "receipts_forged" INTEGER NOT NULL DEFAULT 0,
    "receipts_stale" INTEGER NOT NULL DEFAULT 0,
    "receipts_replayed" INTEGER NOT NULL DEFAULT 0,
    "receipts_unreadable" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "provider_minutes_pkey" PRIMARY KEY ("provider","minute")
);

-- CreateTable
CREATE TABLE "receipt_nonces" (
    "provider" TEXT NOT NULL,
    "nonce" TEXT NOT NULL,
    "seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "receipt_nonces_pkey" PRIMARY KEY ("provider","nonce")
);

-- CreateTable
CREATE TABLE "suppressions" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "number" TEXT NOT NULL,
    "sender_id" TEXT NOT NULL DEFAULT '',
    "reason" TEXT NOT NULL,
    "note" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "suppressions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "inbound_messages" (
    "id" TEXT NOT NULL,
    "provider" TEXT NOT NULL,
    "provider_message_id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL DEFAULT '',
    "from_number" TEXT NOT NULL,
    "to_number" TEXT NOT NULL,
    "body" TEXT NOT NULL,
    "keyword" TEXT,
    "received_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "inbound_messages_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "attempt_parts_message_id_seq_idx" ON "attempt_parts"("message_id", "seq");

-- CreateIndex
CREATE INDEX "waiting_messages_provider_tag_message_id_idx" ON "waiting_messages"("provider", "tag", "message_id");

-- CreateIndex
CREATE INDEX "waiting_messages_provider_account_id_tag_idx" ON "waiting_messages"("provider", "account_id", "tag");

-- CreateIndex
CREATE INDEX "receipt_nonces_seen_at_idx" ON "receipt_nonces"("seen_at");

-- CreateIndex
CREATE INDEX "suppressions_account_id_id_idx" ON "suppressions"("account_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "suppressions_account_id_number_sender_id_key" ON "suppressions"("account_id", "number", "sender_id");

-- CreateIndex
CREATE INDEX "inbound_messages_account_id_id_idx" ON "inbound_messages"("account_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "inbound_messages_provider_provider_message_id_account_id_key" ON "inbound_messages"("provider", "provider_message_id", "account_id");

-- CreateIndex
CREATE INDEX "senders_sender_id_idx" ON "senders"("sender_id");

-- What the schema language cannot say.

ALTER TABLE "providers" ADD CONSTRAINT "providers_breaker_known" CHECK ("breaker" IN ('closed', 'open', 'probing'));
-- Senders that have a pace of their own, which every worker reads once a second.
CREATE INDEX "senders_paced" ON "senders" ("account_id", "sender_id") WHERE "max_segments_per_second" IS NOT NULL;

-- Rows that are updated all the time: leave room for the new version on the same page.
ALTER TABLE "pace_buckets" SET (fillfactor = 50);
ALTER TABLE "provider_minutes" SET (fillfactor = 50);
