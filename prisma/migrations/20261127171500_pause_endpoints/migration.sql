-- AlterTable
ALTER TABLE "webhook_deliveries" ADD COLUMN     "held_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "webhook_endpoints" ADD COLUMN     "paused_at" TIMESTAMPTZ(3),
ADD COLUMN     "paused_by" TEXT,
ADD COLUMN     "resume_from" TIMESTAMPTZ(3);
