/** Names of the cookies with which a browser remembers how to show the console. A file of its own: layouts of the server read it too. */
export const COMPACT_COOKIE = "compact";
export const EXACT_TIMES_COOKIE = "exact-times";
