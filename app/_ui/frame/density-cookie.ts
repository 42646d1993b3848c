/** Remembers in the browser that tables are to be compact. A file of its own: layouts of the server read it too. */
export const COMPACT_COOKIE = "compact";
