/**
 * Pages of the build: their paths, and the text of static pages. Static pages are served from memory, so that anonymous visitors,
 * who see no others, cost next to nothing.
 */
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { contentSecurityPolicy, scriptHashes } from "./security-headers";

/** A static page. `policy` allows its own inline scripts and no others. */
export type BuiltPage = { html: Buffer; gzipped: Buffer; etag: string; policy: string };

export type BuiltPages = {
  /** The static page of a path; null when the page is rendered for each request. */
  pageAt: (path: string) => BuiltPage | null;
  /** Shown for a path without a page. */
  notFound: BuiltPage;
  /** Whether there is a page at a path, static or not. */
  isPage: (path: string) => boolean;
  /** The inline scripts that all pages share (those of the page "not found"), as sources of a policy. */
  commonScripts: string[];
};

/** The pages that the build has rendered. A route with the fallback `false`, such as the guides, has no others. */
type Manifest = { routes: Record<string, unknown>; dynamicRoutes: Record<string, { fallback?: unknown }> };

const NOT_FOUND = "/_not-found";

function readPage(file: string): BuiltPage {
  const html = readFileSync(file);
  return {
    html,
    gzipped: gzipSync(html),
    etag: `"${createHash("sha256").update(html).digest("base64url").slice(0, 27)}"`,
    policy: contentSecurityPolicy(scriptHashes(html.toString("utf8"))),
  };
}

/** Whether a path matches a route such as `/messages/[id]`, in which `[id]` matches any non-empty segment. */
function isPathOf(route: readonly string[], asked: readonly string[]): boolean {
  if (route.length !== asked.length) return false;
  return route.every((segment, at) => (segment.startsWith("[") ? asked[at] !== "" : segment === asked[at]));
}

/** Reads the output of `next build` in `folder`. */
export function readBuiltPages(folder: string): BuiltPages {
  const json = (name: string): unknown => JSON.parse(readFileSync(path.join(folder, name), "utf8"));
  const { routes, dynamicRoutes } = json("prerender-manifest.json") as Manifest;
  const appRoutes = Object.entries(json("app-path-routes-manifest.json") as Record<string, string>);
  const pageRoutes = appRoutes
    .filter(([file, route]) => file.endsWith("/page") && dynamicRoutes[route]?.fallback !== false)
    .map(([, route]) => route.split("/"));
  const pages = new Map<string, BuiltPage>();
  for (const route of Object.keys(routes)) {
    const file = path.join(folder, "server", "app", `${route === "/" ? "index" : route.slice(1)}.html`);
    if (existsSync(file)) pages.set(route, readPage(file));
  }
  const notFound = pages.get(NOT_FOUND);
  if (!notFound) throw new Error("The pages are not built.");
  return {
    pageAt: (asked) => (asked.startsWith("/_") ? null : (pages.get(asked) ?? null)),
    notFound,
    isPage: (asked) => {
      const segments = asked.split("/");
      if (asked.startsWith("/_")) return false;
      return pages.has(asked) || pageRoutes.some((route) => isPathOf(route, segments));
    },
    commonScripts: scriptHashes(notFound.html.toString("utf8")),
  };
}
