/** A connection identifies a prepared statement by its name, so a different statement with the same name fails. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const ROOT = path.resolve(import.meta.dirname, "..");
const NAME = /name: "([a-z-]+\.[a-z_]+)"/g;

test("no two statements have the same name", () => {
  const files = ["server", "worker"].flatMap((folder) =>
    readdirSync(path.join(ROOT, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
      .map((file) => path.join(ROOT, folder, file)),
  );
  const names = files.flatMap((file) => [...readFileSync(file, "utf8").matchAll(NAME)].map(([, name]) => name));
  expect(names.length).toBeGreaterThan(100);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
});
