-- AlterTable
ALTER TABLE "accounts" ADD COLUMN     "text_retention_days" SMALLINT;

-- What the schema language cannot say.

ALTER TABLE "accounts" ADD CONSTRAINT "accounts_text_retention_days" CHECK ("text_retention_days" > 0);
