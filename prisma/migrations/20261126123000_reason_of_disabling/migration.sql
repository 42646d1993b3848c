-- AlterTable
ALTER TABLE "webhook_endpoints" ADD COLUMN     "disabled_reason" TEXT;
