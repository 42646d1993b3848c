/** A target that is longer leads nowhere of ours. */
const TARGET_MAX = 2_048;

/**
 * Where next-auth may send a browser: a page of this site, else its start. The length is looked at first: to parse a host
 * name beyond ASCII takes the square of it, and everybody else waits.
 * @param target as the caller wrote it, of whatever type.
 * @param baseUrl scheme and host of this site.
 */
export function redirectTarget(target: unknown, baseUrl: string): string {
  if (typeof target !== "string" || target.length > TARGET_MAX) return baseUrl;
  if (!URL.canParse(target, baseUrl)) return baseUrl;
  const { origin, href } = new URL(target, baseUrl);
  return origin === new URL(baseUrl).origin ? href : baseUrl;
}
