-- AlterTable
ALTER TABLE "request_log" ADD COLUMN     "address" TEXT,
ADD COLUMN     "user_agent" TEXT;
