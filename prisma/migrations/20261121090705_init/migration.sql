-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateTable
CREATE TABLE "accounts" (
    "id" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "company_name" TEXT NOT NULL DEFAULT '',
    "country" TEXT NOT NULL DEFAULT '',
    "status" TEXT NOT NULL DEFAULT 'active',
    "kyc_verified" BOOLEAN NOT NULL DEFAULT false,
    "balance_micros" BIGINT NOT NULL DEFAULT 0,
    "held_micros" BIGINT NOT NULL DEFAULT 0,
    "currency" CHAR(3) NOT NULL DEFAULT 'USD',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "accounts_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "ledger_entries" (
    "id" BIGSERIAL NOT NULL,
    "account_id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "amount_micros" BIGINT NOT NULL,
    "held_micros" BIGINT NOT NULL,
    "message_id" TEXT,
    "note" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "ledger_entries_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "usage_days" (
    "account_id" TEXT NOT NULL,
    "day" DATE NOT NULL,
    "messages" INTEGER NOT NULL DEFAULT 0,
    "segments" INTEGER NOT NULL DEFAULT 0,
    "cost_micros" BIGINT NOT NULL DEFAULT 0,
    "pending" INTEGER NOT NULL DEFAULT 0,
    "sent" INTEGER NOT NULL DEFAULT 0,
    "delivered" INTEGER NOT NULL DEFAULT 0,
    "failed" INTEGER NOT NULL DEFAULT 0,
    "undelivered" INTEGER NOT NULL DEFAULT 0,
    "events_sent" INTEGER NOT NULL DEFAULT 0,
    "events_delivered" INTEGER NOT NULL DEFAULT 0,
    "events_failed" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "usage_days_pkey" PRIMARY KEY ("account_id","day")
);

-- CreateTable
CREATE TABLE "api_keys" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "key_hash" TEXT NOT NULL,
    "key_hint" TEXT NOT NULL,
    "permissions" TEXT[],
    "rate_limit" INTEGER NOT NULL DEFAULT 600,
    "daily_limit" INTEGER,
    "monthly_limit" INTEGER,
    "allowed_ips" TEXT[],
    "expires_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "api_keys_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "api_key_minutes" (
    "key_id" TEXT NOT NULL,
    "minute" TIMESTAMPTZ(0) NOT NULL,
    "used" INTEGER NOT NULL,

    CONSTRAINT "api_key_minutes_pkey" PRIMARY KEY ("key_id")
);

-- CreateTable
CREATE TABLE "api_key_quotas" (
    "key_id" TEXT NOT NULL,
    "period" TEXT NOT NULL,
    "messages" INTEGER NOT NULL,

    CONSTRAINT "api_key_quotas_pkey" PRIMARY KEY ("key_id","period")
);

-- CreateTable
CREATE TABLE "users" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "password_hash" TEXT NOT NULL,
    "is_operator" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "users_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "sign_in_throttles" (
    "subject" TEXT NOT NULL,
    "failures" INTEGER NOT NULL DEFAULT 0,
    "blocked_until" TIMESTAMPTZ(3),
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "sign_in_throttles_pkey" PRIMARY KEY ("subject")
);

-- CreateTable
CREATE TABLE "messages" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "api_key_id" TEXT,
    "to_number" TEXT NOT NULL,
    "from_sender" TEXT NOT NULL,
    "body" TEXT NOT NULL,
    "encoding" TEXT NOT NULL,
    "segments" SMALLINT NOT NULL,
    "status" TEXT NOT NULL,
    "cost_micros" BIGINT NOT NULL,
    "currency" CHAR(3) NOT NULL,
    "route_id" INTEGER,
    "chain" TEXT[],
    "provider" TEXT,
    "provider_message_id" TEXT,
    "attempts" SMALLINT NOT NULL DEFAULT 0,
    "error_code" TEXT,
    "error_message" TEXT,
    "reference" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "sent_at" TIMESTAMPTZ(3),
    "delivered_at" TIMESTAMPTZ(3),
    "failed_at" TIMESTAMPTZ(3),

    CONSTRAINT "messages_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "message_attempts" (
    "message_id" TEXT NOT NULL,
    "seq" SMALLINT NOT NULL,
    "provider" TEXT NOT NULL,
    "outcome" TEXT,
    "provider_message_id" TEXT,
    "code" TEXT,
    "detail" TEXT,
    "latency_ms" INTEGER,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "message_attempts_pkey" PRIMARY KEY ("message_id","seq")
);

-- CreateTable
CREATE TABLE "receipts" (
    "id" TEXT NOT NULL,
    "provider" TEXT NOT NULL,
    "provider_message_id" TEXT NOT NULL,
    "message_id" TEXT,
    "status" TEXT NOT NULL,
    "code" TEXT,
    "detail" TEXT,
    "applied" BOOLEAN NOT NULL DEFAULT false,
    "occurred_at" TIMESTAMPTZ(3) NOT NULL,
    "received_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "receipts_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "idempotency_keys" (
    "account_id" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "request_hash" TEXT NOT NULL,
    "response" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "idempotency_keys_pkey" PRIMARY KEY ("account_id","key")
);

-- CreateTable
CREATE TABLE "routes" (
    "id" SERIAL NOT NULL,
    "prefix" TEXT NOT NULL,
    "priority" INTEGER NOT NULL DEFAULT 0,
    "chain" TEXT[],
    "price_micros" BIGINT NOT NULL,
    "weight" INTEGER NOT NULL DEFAULT 100,
    "is_active" BOOLEAN NOT NULL DEFAULT true,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "routes_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "senders" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "sender_id" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "country_code" TEXT,
    "status" TEXT NOT NULL DEFAULT 'pending',
    "status_note" TEXT,
    "approved_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "senders_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "events" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "message_id" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "events_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "webhook_endpoints" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "description" TEXT,
    "events" TEXT[],
    "secret_sealed" TEXT NOT NULL,
    "is_active" BOOLEAN NOT NULL DEFAULT true,
    "failure_count" INTEGER NOT NULL DEFAULT 0,
    "last_success_at" TIMESTAMPTZ(3),
    "last_failure_at" TIMESTAMPTZ(3),
    "disabled_at" TIMESTAMPTZ(3),
    "deleted_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhook_endpoints_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "webhook_deliveries" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "endpoint_id" TEXT NOT NULL,
    "event_id" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'pending',
    "attempts" SMALLINT NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "webhook_deliveries_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "webhook_tries" (
    "delivery_id" TEXT NOT NULL,
    "attempt" SMALLINT NOT NULL,
    "status_code" INTEGER,
    "latency_ms" INTEGER NOT NULL,
    "error" TEXT,
    "response_head" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "webhook_tries_pkey" PRIMARY KEY ("delivery_id","attempt")
);

-- CreateIndex
CREATE INDEX "accounts_email_idx" ON "accounts"("email");

-- CreateIndex
CREATE INDEX "ledger_entries_account_id_id_idx" ON "ledger_entries"("account_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "ledger_entries_message_id_kind_key" ON "ledger_entries"("message_id", "kind");

-- CreateIndex
CREATE UNIQUE INDEX "api_keys_key_hash_key" ON "api_keys"("key_hash");

-- CreateIndex
CREATE INDEX "api_keys_account_id_id_idx" ON "api_keys"("account_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "users_email_key" ON "users"("email");

-- CreateIndex
CREATE INDEX "users_account_id_idx" ON "users"("account_id");

-- CreateIndex
CREATE INDEX "messages_account_id_id_idx" ON "messages"("account_id", "id");

-- CreateIndex
CREATE INDEX "messages_account_id_to_number_id_idx" ON "messages"("account_id", "to_number", "id");

-- CreateIndex
CREATE INDEX "messages_account_id_status_id_idx" ON "messages"("account_id", "status", "id");

-- CreateIndex
CREATE INDEX "receipts_message_id_idx" ON "receipts"("message_id");

-- CreateIndex
CREATE INDEX "idempotency_keys_created_at_idx" ON "idempotency_keys"("created_at");

-- CreateIndex
CREATE INDEX "routes_prefix_idx" ON "routes"("prefix");

-- CreateIndex
CREATE INDEX "senders_status_id_idx" ON "senders"("status", "id");

-- CreateIndex
CREATE UNIQUE INDEX "senders_account_id_sender_id_key" ON "senders"("account_id", "sender_id");

-- CreateIndex
CREATE INDEX "events_account_id_id_idx" ON "events"("account_id", "id");

-- CreateIndex
CREATE INDEX "events_account_id_type_id_idx" ON "events"("account_id", "type", "id");

-- CreateIndex
CREATE INDEX "events_message_id_idx" ON "events"("message_id");

-- CreateIndex
CREATE INDEX "webhook_endpoints_account_id_id_idx" ON "webhook_endpoints"("account_id", "id");

-- CreateIndex
CREATE INDEX "webhook_deliveries_endpoint_id_id_idx" ON "webhook_deliveries"("endpoint_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "webhook_deliveries_event_id_endpoint_id_key" ON "webhook_deliveries"("event_id", "endpoint_id");

-- AddForeignKey
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "users" ADD CONSTRAINT "users_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "senders" ADD CONSTRAINT "senders_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_endpoints" ADD CONSTRAINT "webhook_endpoints_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- What the schema language cannot say.

-- Money can never run below zero, whatever code does.
ALTER TABLE "accounts" ADD CONSTRAINT "accounts_balance_not_negative" CHECK ("balance_micros" >= 0);
ALTER TABLE "accounts" ADD CONSTRAINT "accounts_held_not_negative" CHECK ("held_micros" >= 0);

ALTER TABLE "messages" ADD CONSTRAINT "messages_status_known"
  CHECK ("status" IN ('pending', 'sent', 'delivered', 'failed', 'undelivered'));

-- A provider's id names one attempt: receipts are joined through it.
CREATE UNIQUE INDEX "message_attempts_provider_id" ON "message_attempts" ("provider", "provider_message_id")
  WHERE "provider_message_id" IS NOT NULL;
-- Calls of which nobody knows yet how they ended.
CREATE INDEX "message_attempts_open" ON "message_attempts" ("started_at")
  WHERE "outcome" IS NULL OR "outcome" = 'unknown';
-- Receipts that came before the answer of their own send.
CREATE INDEX "receipts_parked" ON "receipts" ("provider", "provider_message_id") WHERE "message_id" IS NULL;
-- What the sweeps look for.
CREATE INDEX "messages_pending" ON "messages" ("created_at") WHERE "status" = 'pending';
CREATE INDEX "messages_unconfirmed" ON "messages" ("sent_at") WHERE "status" = 'sent';

-- Rows that are updated with every batch: leave room for the new version on the same page (no index maintenance).
ALTER TABLE "accounts" SET (fillfactor = 50);
ALTER TABLE "usage_days" SET (fillfactor = 50);
ALTER TABLE "api_key_quotas" SET (fillfactor = 50);
ALTER TABLE "api_key_minutes" SET (fillfactor = 50);
-- A minute's request count need not survive a crash of the database, so it is not written ahead.
ALTER TABLE "api_key_minutes" SET UNLOGGED;
