-- AlterTable
ALTER TABLE "attempt_parts" ADD COLUMN     "shared_id" TEXT;
