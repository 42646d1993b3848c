import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readBuiltPages } from "./built-pages";

const folder = mkdtempSync(path.join(tmpdir(), "built-"));
// The policy of a page depends on settings.
beforeAll(() => {
  Object.assign(process.env, { DATABASE_URL: "postgresql://unused", SECRET_KEY: "0".repeat(40) });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("knows the pages that Next makes; of a route rendered at build time only those that were rendered", () => {
  const write = (name: string, value: object) => writeFileSync(path.join(folder, name), JSON.stringify(value));
  write("prerender-manifest.json", {
    routes: { "/_not-found": {}, "/docs": {}, "/docs/limits": {} },
    dynamicRoutes: { "/docs/[guide]": { fallback: false } },
  });
  write("app-path-routes-manifest.json", {
    "/docs/page": "/docs",
    "/docs/[guide]/page": "/docs/[guide]",
    "/(console)/messages/[id]/page": "/messages/[id]",
    "/api/auth/route": "/api/auth",
  });
  mkdirSync(path.join(folder, "server", "app", "docs"), { recursive: true });
  for (const page of ["_not-found", "docs", "docs/limits"]) {
    writeFileSync(path.join(folder, "server", "app", `${page}.html`), `<p>${page}</p>`);
  }
  const { isPage, pageAt } = readBuiltPages(folder);
  const paths = ["/docs", "/docs/limits", "/docs/nowhere", "/messages/msg_1", "/messages/", "/api/auth", "/_not-found"];
  expect(paths.filter(isPage)).toEqual(["/docs", "/docs/limits", "/messages/msg_1"]);
  expect(paths.filter((asked) => pageAt(asked) !== null)).toEqual(["/docs", "/docs/limits"]);
});
