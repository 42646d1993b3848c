-- AlterTable
ALTER TABLE "second_factors" ADD COLUMN     "recovery_codes_at" TIMESTAMPTZ(3);
