-- AlterTable
ALTER TABLE "providers" ADD COLUMN     "last_error" TEXT,
ADD COLUMN     "unavailable_since" TIMESTAMPTZ(3);

-- What the schema language cannot say.

-- The version before reads and writes `alarm` and `held_since`, this one `last_error` and `unavailable_since`: whichever of a pair
-- is written, the other follows. A row is written when a provider's state changes, so the trigger costs no message anything.
CREATE FUNCTION "providers_keep_former_names"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    NEW.last_error := coalesce(NEW.last_error, NEW.alarm);
    NEW.unavailable_since := coalesce(NEW.unavailable_since, NEW.held_since);
  ELSE
    IF NEW.last_error IS NOT DISTINCT FROM OLD.last_error THEN NEW.last_error := NEW.alarm; END IF;
    IF NEW.unavailable_since IS NOT DISTINCT FROM OLD.unavailable_since THEN NEW.unavailable_since := NEW.held_since; END IF;
  END IF;
  NEW.alarm := NEW.last_error;
  NEW.held_since := NEW.unavailable_since;
  RETURN NEW;
END $$;

-- Existing rows; their table is locked until this migration ends.
UPDATE "providers" SET "last_error" = "alarm", "unavailable_since" = "held_since";

CREATE TRIGGER "providers_keep_former_names"
  BEFORE INSERT OR UPDATE OF "alarm", "last_error", "held_since", "unavailable_since" ON "providers"
  FOR EACH ROW EXECUTE FUNCTION "providers_keep_former_names"();
