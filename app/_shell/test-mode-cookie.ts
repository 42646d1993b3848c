/** Remembers in the browser which mode the next page that is opened has. It opens nothing: it only chooses between an account's own data. */
export const TEST_MODE_COOKIE = "test-mode";
