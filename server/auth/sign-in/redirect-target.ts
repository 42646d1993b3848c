/** No page of ours has a longer address. */
const TARGET_MAX = 2_048;

/**
 * Where next-auth may send a browser: a page of this site, else its start. The length is checked first: parsing a host
 * name beyond ASCII takes quadratic time, for which all other requests wait.
 * @param target as the caller wrote it, of whatever type.
 * @param baseUrl scheme and host of this site.
 */
export function redirectTarget(target: unknown, baseUrl: string): string {
  if (typeof target !== "string" || target.length > TARGET_MAX) return baseUrl;
  if (!URL.canParse(target, baseUrl)) return baseUrl;
  const { origin, href } = new URL(target, baseUrl);
  return origin === new URL(baseUrl).origin ? href : baseUrl;
}
