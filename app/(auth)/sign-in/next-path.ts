/** No path of this site is longer. */
const NEXT_MAX = 2_048;

/**
 * Where to go after sign-in: only ever a page of this site.
 * @param next as the address of the sign-in page gives it, with or without scheme and host.
 * @param origin of this site.
 * @returns a whole URL: a path alone could begin with two slashes, and then lead to another host.
 */
export function safeTarget(next: string | null, origin: string): string {
  const start = `${origin}/`;
  if (next === null || next.length > NEXT_MAX || !URL.canParse(next, origin)) return start;
  const target = new URL(next, origin);
  return target.origin === origin && !target.pathname.startsWith("//") ? target.href : start;
}
