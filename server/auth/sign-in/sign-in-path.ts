const SIGN_IN = "/sign-in";
/** No page of ours has a longer address. */
const TARGET_MAX = 2_048;
/** Internal header with path and query of the page requested from Next; the web process overwrites any other. */
export const PAGE_HEADER = "x-asked-page";

/** Next's client adds it to the address of a page that it fetches. */
const FETCH_MARK = "_rsc";

/**
 * The sign-in page, which leads to `target` afterwards. It takes only pages of this site there (next-path.ts).
 * @param target path and query of the requested page.
 */
export function signInPath(target: string): string {
  if (!target.startsWith("/") || target.length > TARGET_MAX) return SIGN_IN;
  const [path = "/", ...rest] = target.split("?");
  const query = new URLSearchParams(rest.join("?"));
  query.delete(FETCH_MARK);
  const page = query.size > 0 ? `${path}?${query}` : path;
  return page === "/" ? SIGN_IN : `${SIGN_IN}?next=${encodeURIComponent(page)}`;
}
