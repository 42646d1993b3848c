-- AlterTable
ALTER TABLE "webhook_endpoints" ADD COLUMN     "generation" INTEGER NOT NULL DEFAULT 0;
