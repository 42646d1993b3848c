-- AlterTable
ALTER TABLE "inbound_messages" ADD COLUMN     "occurred_at" TIMESTAMPTZ(3);
