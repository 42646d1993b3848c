-- AlterTable
ALTER TABLE "provider_minutes" ADD COLUMN     "receipts_blocked" INTEGER NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "providers" ADD COLUMN     "receipt_rotated_at" TIMESTAMPTZ(3),
ADD COLUMN     "receipt_rotation" INTEGER NOT NULL DEFAULT 0;
