-- CreateTable
CREATE TABLE "alert_settings" (
    "account_id" TEXT NOT NULL,
    "low_balance_micros" BIGINT,
    "by_mail" BOOLEAN NOT NULL DEFAULT true,
    "url" TEXT,
    "secret_sealed" TEXT,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "alert_settings_pkey" PRIMARY KEY ("account_id")
);

-- CreateTable
CREATE TABLE "alert_states" (
    "kind" TEXT NOT NULL,
    "subject_id" TEXT NOT NULL,
    "account_id" TEXT,
    "raised_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "alert_states_pkey" PRIMARY KEY ("kind","subject_id")
);

-- CreateTable
CREATE TABLE "alerts" (
    "id" TEXT NOT NULL,
    "account_id" TEXT,
    "kind" TEXT NOT NULL,
    "subject_id" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "detail" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "posted_at" TIMESTAMPTZ(3),
    "post_error" TEXT,

    CONSTRAINT "alerts_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "mails" (
    "id" TEXT NOT NULL,
    "account_id" TEXT,
    "address" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "content_sealed" TEXT,
    "status" TEXT NOT NULL DEFAULT 'pending',
    "error" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "valid_until" TIMESTAMPTZ(3) NOT NULL,
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "mails_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "alerts_account_id_id_idx" ON "alerts"("account_id", "id");

-- CreateIndex
CREATE INDEX "alerts_created_at_idx" ON "alerts"("created_at");

-- CreateIndex
CREATE INDEX "mails_address_created_at_idx" ON "mails"("address", "created_at");

-- CreateIndex
CREATE INDEX "mails_created_at_idx" ON "mails"("created_at");
