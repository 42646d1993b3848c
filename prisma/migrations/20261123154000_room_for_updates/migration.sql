-- Room for two versions of each row and their growth: with one half, one update in ten left its page and wrote five index
-- entries. Holds for pages that are filled from now on.
ALTER TABLE "messages" SET (fillfactor = 42);
