import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

/** The driver refuses a name that a connection has prepared for another text, so such an error depends on chance. */
test("every prepared statement has a name of its own", () => {
  const names = ["server", "worker"].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
      .flatMap((name) => {
        const source = readFileSync(path.join(folder, name), "utf8");
        return [...source.matchAll(/\bname: "([a-z-]+\.[a-z_]+)",\s+(?:\/\/[^\n]*\n\s*)*text:/g)].map(([, own]) => own);
      }),
  );
  expect(names.length).toBeGreaterThan(50);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
});
