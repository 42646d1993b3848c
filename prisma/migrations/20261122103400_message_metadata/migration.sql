-- AlterTable
ALTER TABLE "messages" ADD COLUMN     "metadata" JSONB;

-- CreateTable
CREATE TABLE "message_metadata" (
    "account_id" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "value" TEXT NOT NULL,
    "message_id" TEXT NOT NULL,

    CONSTRAINT "message_metadata_pkey" PRIMARY KEY ("account_id","key","value","message_id")
);
