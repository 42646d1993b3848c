-- Version 0.1.0 deleted old messages without their places in the throttle queue, where the first ones are read again and again. Each
-- message is looked up by its id: a plan for many places would read all messages.
DELETE FROM "waiting_messages" WHERE "message_id" IN (
  SELECT w."message_id" FROM "waiting_messages" w
  LEFT JOIN LATERAL (SELECT true AS "is_there" FROM "messages" m WHERE m."id" = w."message_id" OFFSET 0) m ON true
  WHERE m."is_there" IS NULL);
