-- `held_at` of a parked delivery says which pause has parked it: it is the `resume_from` that its endpoint has then, or null. Two times of
-- the same clock were compared before, which may go back. A trigger writes it, because processes of the version before, which
-- do not know pauses, park deliveries too.

-- The lock comes first, so that nothing is done in vain without it.
LOCK TABLE "webhook_deliveries" IN SHARE ROW EXCLUSIVE MODE;

-- What pauses have parked that are not over yet. The index of what can be recovered finds it, whatever the statistics say.
DO $$
DECLARE
  endpoint record;
BEGIN
  SET LOCAL enable_seqscan = off;
  FOR endpoint IN SELECT id, resume_from FROM webhook_endpoints WHERE resume_from IS NOT NULL LOOP
    UPDATE webhook_deliveries SET held_at = endpoint.resume_from
      WHERE endpoint_id = endpoint.id AND status IN ('held', 'abandoned') AND status = 'held'
        AND coalesce(held_at, created_at) >= endpoint.resume_from;
  END LOOP;
END $$;

CREATE FUNCTION "note_pause_of_delivery"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    IF OLD.status = 'held' THEN
      NEW.held_at := OLD.held_at;
      RETURN NEW;
    END IF;
  END IF;
  NEW.held_at := (SELECT resume_from FROM webhook_endpoints WHERE id = NEW.endpoint_id);
  RETURN NEW;
END $$;

-- Nothing runs for a delivery that is not parked.
CREATE TRIGGER "webhook_deliveries_parked" BEFORE INSERT OR UPDATE ON "webhook_deliveries"
  FOR EACH ROW WHEN (NEW.status = 'held') EXECUTE FUNCTION "note_pause_of_delivery"();
