-- AlterTable
ALTER TABLE "message_attempts" ADD COLUMN     "provider_detail" TEXT;

-- What the schema language cannot say.

-- The version before goes on writing `said`, which no version reads, so nothing keeps both columns equal.
COMMENT ON COLUMN "message_attempts"."said" IS 'Former name of provider_detail; to be dropped.';
