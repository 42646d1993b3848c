"use client";

import { usePathname, useSearchParams } from "next/navigation";
import { useCallback, useEffect } from "react";

/** `undefined` or an empty string removes the parameter. */
export type UrlPatch = Record<string, string | undefined>;

/**
 * The address that was written last, until Next has rendered it. Whenever Next renders an address it writes it again, and so
 * may put an older one over a newer for a moment, in which a change that began from `location` would lose the newer.
 */
let unrendered: { pathname: string; query: string } | null = null;

const forget = () => {
  unrendered = null;
};

/**
 * Filters and page of a list, in the query string so that links, reloads and the back button keep them. Changing a
 * filter returns to the first page. `replace` adds no history entry, for text being typed.
 */
export function useUrlState() {
  const params = useSearchParams();
  const pathname = usePathname();
  const rendered = params.toString();
  useEffect(() => {
    if (unrendered?.pathname !== pathname || unrendered.query === rendered) forget();
  }, [pathname, rendered]);
  useEffect(() => {
    window.addEventListener("popstate", forget);
    return () => window.removeEventListener("popstate", forget);
  }, []);
  const change = useCallback(
    (patch: UrlPatch, how: "push" | "replace" = "push") => {
      // Not from `params`: the second of two changes in one render must see the first.
      const next = new URLSearchParams(unrendered?.pathname === pathname ? unrendered.query : window.location.search);
      for (const [name, value] of Object.entries({ page: undefined, ...patch })) {
        if (value) next.set(name, value);
        else next.delete(name);
      }
      const query = next.toString();
      const url = query ? `${pathname}?${query}` : pathname;
      // Writing an entry ends a navigation that is under way, so one that changes nothing is left out.
      if (url === window.location.pathname + window.location.search) return;
      unrendered = { pathname, query };
      if (how === "push") window.history.pushState(null, "", url);
      else window.history.replaceState(null, "", url);
    },
    [pathname],
  );
  const setPage = useCallback((page: number) => change({ page: page > 1 ? String(page) : undefined }), [change]);
  return { params, page: pageOf(params.get("page")), change, setPage };
}

/** A page number from the URL; 1 if it is invalid. */
function pageOf(text: string | null): number {
  const page = Number(text);
  return Number.isSafeInteger(page) && page > 0 ? page : 1;
}

/** `text` if it is one of `allowed`, for filters from the URL. */
export function oneOf<Value extends string>(allowed: readonly Value[], text: string | null): Value | undefined {
  return allowed.find((value) => value === text);
}
