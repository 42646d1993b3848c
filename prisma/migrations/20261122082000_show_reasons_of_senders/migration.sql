-- AlterTable
ALTER TABLE "senders" ADD COLUMN     "status_reason" TEXT;
