/** `true` on calls of a console page in test mode. The page sends it with each call, so that it never shows the other mode's data. */
export const TEST_MODE_HEADER = "test-mode";
