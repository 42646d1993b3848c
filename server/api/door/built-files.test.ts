import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, it } from "vitest";
import { readBuiltFiles } from "./built-files";

const folder = mkdtempSync(path.join(tmpdir(), "built-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("knows only the compressed files, by the paths at which pages request them", () => {
  const chunks = path.join(folder, "static", "chunks");
  mkdirSync(chunks, { recursive: true });
  writeFileSync(path.join(chunks, "a b.js.br"), "script");
  writeFileSync(path.join(chunks, "a.css.br"), "style");
  writeFileSync(path.join(chunks, "plain.js"), "plain");
  writeFileSync(path.join(folder, "secret.js.br"), "outside");
  const files = readBuiltFiles(folder);
  expect([...files.keys()].sort()).toEqual(["/_next/static/chunks/a%20b.js", "/_next/static/chunks/a.css"]);
  expect(files.get("/_next/static/chunks/a.css")).toMatchObject({
    body: Buffer.from("style"),
    headers: { "content-encoding": "br", "content-type": "text/css; charset=UTF-8", vary: "accept-encoding" },
  });
});

it("is empty when the build has compressed nothing", () => {
  expect(readBuiltFiles(path.join(folder, "nowhere")).size).toBe(0);
});
