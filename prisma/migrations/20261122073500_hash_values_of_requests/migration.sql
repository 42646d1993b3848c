-- AlterTable
ALTER TABLE "idempotency_keys" ADD COLUMN     "value_hash" TEXT;
