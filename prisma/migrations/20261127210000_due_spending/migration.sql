-- CreateTable
CREATE TABLE "due_spending" (
    "account_id" TEXT NOT NULL,
    "day" DATE NOT NULL,
    "message_id" TEXT NOT NULL,
    "cost_micros" BIGINT NOT NULL,

    CONSTRAINT "due_spending_pkey" PRIMARY KEY ("account_id","day","message_id")
);
