/** Codes of a refusal that no later try changes (RFC 5321 section 4.2.1), but for one that is about us: 530 and 535 want other credentials. */
const ABOUT_US = new Set([530, 534, 535, 538]);

/** Whether the mail server has refused this email for good. */
export function isBounced(thrown: unknown): thrown is Error {
  if (!(thrown instanceof Error) || !("responseCode" in thrown)) return false;
  const code = Number(thrown.responseCode);
  return code >= 500 && code < 600 && !ABOUT_US.has(code);
}
