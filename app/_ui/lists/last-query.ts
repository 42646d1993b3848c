/** The filters and page of each list as this tab showed it last, by the list's path. A reload drops them. */
const queries = new Map<string, string>();

/** Notes what a list shows. `query`: without the question mark. */
export function noteQuery(pathname: string, query: string): void {
  queries.set(pathname, query);
}

/** The address of a list as it was shown last. */
export function lastAddressOf(pathname: string): string {
  const query = queries.get(pathname);
  return query ? `${pathname}?${query}` : pathname;
}
