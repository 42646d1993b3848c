-- AlterTable
ALTER TABLE "message_attempts" ADD COLUMN     "begun_at" TIMESTAMPTZ(3),
ADD COLUMN     "claim" UUID,
ADD COLUMN     "worker_id" TEXT;

-- CreateTable
CREATE TABLE "workers" (
    "id" TEXT NOT NULL,
    "pools" TEXT[],
    "started_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "workers_pkey" PRIMARY KEY ("id")
);

-- What the schema language cannot say.

-- Set apart from the column: as its default from the start it would rewrite the table. Versions without claims get one too.
ALTER TABLE "message_attempts" ALTER COLUMN "claim" SET DEFAULT gen_random_uuid();
-- Calls under way now, and those whose outcome is not known, were begun with their claim.
UPDATE "message_attempts" SET "claim" = gen_random_uuid(), "begun_at" = "started_at"
  WHERE "outcome" IS NULL OR "outcome" = 'unknown';
