-- AlterTable
ALTER TABLE "webhook_deliveries" ADD COLUMN     "under_way_until" TIMESTAMPTZ(3);
