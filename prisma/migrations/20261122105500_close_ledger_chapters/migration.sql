-- CreateTable
CREATE TABLE "ledger_chapters" (
    "through_id" BIGINT NOT NULL,
    "after_id" BIGINT NOT NULL,
    "began_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3) NOT NULL,
    "verified_at" TIMESTAMPTZ(3),
    "has_faults" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "ledger_chapters_pkey" PRIMARY KEY ("through_id")
);

-- CreateTable
CREATE TABLE "ledger_closings" (
    "account_id" TEXT NOT NULL,
    "through_id" BIGINT NOT NULL,
    "amount_micros" BIGINT NOT NULL,
    "held_micros" BIGINT NOT NULL,

    CONSTRAINT "ledger_closings_pkey" PRIMARY KEY ("account_id","through_id")
);

-- CreateIndex
CREATE UNIQUE INDEX "ledger_chapters_after_id_key" ON "ledger_chapters"("after_id");

-- CreateIndex
CREATE INDEX "ledger_closings_through_id_idx" ON "ledger_closings"("through_id");
