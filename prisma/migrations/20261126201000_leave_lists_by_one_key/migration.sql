-- Only the primary key fits a comparison of rows. Beside a transaction that stays open, the list of pending messages has few rows and many
-- versions that are dead, and its index by time, which is smaller, was read whole for each message.
CREATE OR REPLACE FUNCTION "leave_status_lists"() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
  DELETE FROM pending_messages WHERE ctid = ANY (ARRAY(
    SELECT l.place FROM leaving m CROSS JOIN LATERAL (SELECT p.ctid AS place FROM pending_messages p
      WHERE (p.account_id, p.message_id) >= (m.account_id, m.id) AND (p.account_id, p.message_id) <= (m.account_id, m.id)
      OFFSET 0) l
    WHERE m.status = 'pending'));
  DELETE FROM sent_messages WHERE ctid = ANY (ARRAY(
    SELECT l.place FROM leaving m CROSS JOIN LATERAL (SELECT s.ctid AS place FROM sent_messages s
      WHERE s.account_id = m.account_id AND s.message_id = m.id OFFSET 0) l
    WHERE m.status = 'sent'));
  DELETE FROM failed_messages WHERE ctid = ANY (ARRAY(
    SELECT l.place FROM leaving m CROSS JOIN LATERAL (SELECT f.ctid AS place FROM failed_messages f
      WHERE f.account_id = m.account_id AND f.status = m.status AND f.message_id = m.id OFFSET 0) l
    WHERE m.status IN ('failed', 'undelivered')));
  RETURN NULL;
END $$;
