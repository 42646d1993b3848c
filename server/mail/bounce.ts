/** Permanent replies (5xx) about our own credentials: a later try may succeed. */
const OUR_CREDENTIALS = new Set([530, 534, 535, 538]);

/** Whether the mail server has refused this email for good (RFC 5321 section 4.2.1). */
export function isBounced(thrown: unknown): thrown is Error {
  if (!(thrown instanceof Error) || !("responseCode" in thrown)) return false;
  const code = Number(thrown.responseCode);
  return code >= 500 && code < 600 && !OUR_CREDENTIALS.has(code);
}
