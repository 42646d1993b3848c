-- CreateTable
CREATE TABLE "due_spending" (
    "account_id" TEXT NOT NULL,
    "message_id" TEXT NOT NULL,
    "day" DATE NOT NULL,
    "cost_micros" BIGINT NOT NULL,

    CONSTRAINT "due_spending_pkey" PRIMARY KEY ("account_id","message_id","day")
);

-- CreateTable
CREATE TABLE "due_spending_days" (
    "account_id" TEXT NOT NULL,
    "day" DATE NOT NULL,
    "cost_micros" BIGINT NOT NULL,

    CONSTRAINT "due_spending_days_pkey" PRIMARY KEY ("account_id","day")
);

-- CreateIndex
CREATE INDEX "due_spending_day_idx" ON "due_spending"("day");
