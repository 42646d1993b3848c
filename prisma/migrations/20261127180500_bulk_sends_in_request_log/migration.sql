-- AlterTable
ALTER TABLE "request_log" ADD COLUMN     "first_message_id" TEXT,
ADD COLUMN     "last_message_id" TEXT,
ADD COLUMN     "messages" SMALLINT;
