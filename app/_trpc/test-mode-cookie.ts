/** The cookie with the mode of the next page. It grants no access: it only chooses between an account's own data. */
export const TEST_MODE_COOKIE = "test-mode";
