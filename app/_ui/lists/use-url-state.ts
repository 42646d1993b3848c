"use client";

import { usePathname, useSearchParams } from "next/navigation";
import { useCallback, useEffect } from "react";
import { onNavigationStart } from "@/app/_ui/frame/navigations";
import { noteQuery } from "./last-query";

/** `undefined` or an empty string removes the parameter. */
export type UrlPatch = Record<string, string | undefined>;

/**
 * Queries of a page, oldest first, from the rendered one to the one written last. Whenever Next renders an address it writes it
 * again, and so may overwrite a newer one for a moment: a change based on `location` at that moment would lose the newer query.
 */
let unrendered: { pathname: string; queries: string[] } | null = null;

const forget = () => {
  unrendered = null;
};

/** A query that was not written here comes from a navigation, which ends pending changes. */
function noteRendered(pathname: string, query: string): void {
  const at = unrendered?.pathname === pathname ? unrendered.queries.lastIndexOf(query) : -1;
  const left = at === -1 ? [] : (unrendered?.queries.slice(at) ?? []);
  unrendered = left.length > 1 ? { pathname, queries: left } : null;
}

/**
 * Filters and page of a list, in the query string so that links, reloads and the back button keep them. Changing a
 * filter returns to the first page. `replace` adds no history entry, for text being typed.
 */
export function useUrlState() {
  const params = useSearchParams();
  const pathname = usePathname();
  const rendered = params.toString();
  useEffect(() => {
    noteRendered(pathname, rendered);
    noteQuery(pathname, unrendered?.queries.at(-1) ?? rendered);
  }, [pathname, rendered]);
  useEffect(() => {
    const stop = onNavigationStart(forget);
    return () => {
      stop();
      forget();
    };
  }, []);
  const change = useCallback(
    (patch: UrlPatch, how: "push" | "replace" = "push") => {
      // Not read from `params`: the second of two changes in one render must see the first.
      const earlier = unrendered?.pathname === pathname ? unrendered.queries : [];
      const next = new URLSearchParams(earlier.at(-1) ?? window.location.search);
      const before = next.toString();
      for (const [name, value] of Object.entries({ page: undefined, ...patch })) {
        if (value) next.set(name, value);
        else next.delete(name);
      }
      const query = next.toString();
      // Writing an entry cancels a running navigation, so an entry that changes nothing is not written.
      if (query === before) return;
      unrendered = { pathname, queries: [...(earlier.length > 0 ? earlier : [before]), query] };
      noteQuery(pathname, query);
      const url = query ? `${pathname}?${query}` : pathname;
      if (how === "push") window.history.pushState(null, "", url);
      else window.history.replaceState(null, "", url);
    },
    [pathname],
  );
  const setPage = useCallback((page: number) => change({ page: page > 1 ? String(page) : undefined }), [change]);
  return { params, page: pageOf(params.get("page")), change, setPage };
}

/** The highest page number that the service accepts. No list has that many pages. */
const PAGE_MAX = 1_000_000;

/** A page number from the URL; 1 if it is invalid. For one that is too high, the list says that there is no such page. */
export function pageOf(text: string | null): number {
  const page = Number(text);
  return Number.isInteger(page) && page > 0 ? Math.min(page, PAGE_MAX) : 1;
}

/** `text` if it is one of `allowed`, for filters from the URL. */
export function oneOf<Value extends string>(allowed: readonly Value[], text: string | null): Value | undefined {
  return allowed.find((value) => value === text);
}
