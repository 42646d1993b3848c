-- AlterTable
ALTER TABLE "accounts" ADD COLUMN     "own_countries" TEXT[],
ADD COLUMN     "own_country_rule" TEXT,
ADD COLUMN     "own_daily_spend_cap_micros" BIGINT;

-- What the schema language cannot say.

ALTER TABLE "accounts" ADD CONSTRAINT "accounts_own_countries" CHECK (
  "own_country_rule" IS NULL
  OR "own_country_rule" IN ('only', 'except') AND coalesce(cardinality("own_countries"), 0) > 0
);
ALTER TABLE "accounts" ADD CONSTRAINT "accounts_own_daily_spend_cap" CHECK ("own_daily_spend_cap_micros" >= 0);
