-- Room for the outcome beside the attempt: on its own page, an update writes half as much to the log. Holds for pages that are filled
-- from now on.
ALTER TABLE "message_attempts" SET (fillfactor = 42);
