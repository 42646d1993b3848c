-- AlterTable
ALTER TABLE "provider_minutes" ADD COLUMN     "egress_failed" INTEGER NOT NULL DEFAULT 0;
