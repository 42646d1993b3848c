/** Names of the cookies with the console's display options. They have their own file because server layouts read it too. */
export const COMPACT_COOKIE = "compact";
export const EXACT_TIMES_COOKIE = "exact-times";
