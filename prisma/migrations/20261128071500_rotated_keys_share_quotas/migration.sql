-- AlterTable
ALTER TABLE "api_keys" ADD COLUMN     "counted_as" TEXT;
