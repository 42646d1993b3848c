-- Two indexes have taken its place: an ordinary attempt still writes one entry. Processes of the version before find the same
-- attempts by those two, perhaps more slowly, for the minutes of an update.
DROP INDEX "message_attempts_open";
