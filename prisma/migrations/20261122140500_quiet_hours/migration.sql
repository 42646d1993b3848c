-- AlterTable
ALTER TABLE "accounts" ADD COLUMN     "quiet_ends_minute" INTEGER,
ADD COLUMN     "quiet_starts_minute" INTEGER;

-- What the schema language cannot say.

ALTER TABLE "accounts" ADD CONSTRAINT "accounts_quiet_hours" CHECK (
  ("quiet_starts_minute" IS NULL) = ("quiet_ends_minute" IS NULL)
  AND "quiet_starts_minute" BETWEEN 0 AND 1439 AND "quiet_ends_minute" BETWEEN 0 AND 1439
  AND "quiet_starts_minute" <> "quiet_ends_minute"
);
