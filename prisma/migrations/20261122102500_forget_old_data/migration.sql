-- CreateTable
CREATE TABLE "forgotten_days" (
    "account_id" TEXT NOT NULL,
    "day" DATE NOT NULL,
    "messages" INTEGER NOT NULL DEFAULT 0,
    "segments" INTEGER NOT NULL DEFAULT 0,
    "cost_micros" BIGINT NOT NULL DEFAULT 0,
    "delivered" INTEGER NOT NULL DEFAULT 0,
    "failed" INTEGER NOT NULL DEFAULT 0,
    "undelivered" INTEGER NOT NULL DEFAULT 0,
    "events_sent" INTEGER NOT NULL DEFAULT 0,
    "events_delivered" INTEGER NOT NULL DEFAULT 0,
    "events_failed" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "forgotten_days_pkey" PRIMARY KEY ("account_id","day")
);

-- CreateTable
CREATE TABLE "retention_rounds" (
    "name" TEXT NOT NULL,
    "position" TEXT NOT NULL DEFAULT '',
    "resume_from" TEXT,
    "has_left" BOOLEAN NOT NULL DEFAULT false,
    "began_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "full_began_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "retention_rounds_pkey" PRIMARY KEY ("name")
);
