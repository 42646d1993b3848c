import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const CORE = path.resolve("node_modules/@mantine/core");
const NOTIFICATIONS = path.resolve("node_modules/@mantine/notifications/esm");
/** Style sheets that belong to no component: base styles of elements, and variables. */
const BASE = ["baseline", "default-css-variables", "global"];

const sourcesBelow = (folder: string, ending: RegExp): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => ending.test(name))
    .map((name) => readFileSync(path.join(folder, name), "utf8"));

/** The names that a source file imports from Mantine, except types. */
const namesIn = (source: string): string[] =>
  [...source.matchAll(/import \{([^}]*)\} from "@mantine\/core"/g)]
    .flatMap(([, names = ""]) => names.split(","))
    .map((name) => name.trim().split(" as ")[0] ?? "")
    .filter((name) => name !== "" && !name.startsWith("type "));

/** The file of each name that Mantine exports. */
function filesByName(): Map<string, string> {
  const index = path.join(CORE, "esm", "index.mjs");
  const imports = readFileSync(index, "utf8").matchAll(/(?:import|export) \{([^}]*)\} from "(\.[^"]+)"/g);
  return new Map(
    [...imports].flatMap(([, names = "", file = ""]) =>
      names
        .split(",")
        .map((name) => [name.trim().split(" as ").at(-1) ?? "", path.join(path.dirname(index), file)] as const),
    ),
  );
}

/** The style sheets of components and of the components that they consist of. */
function sheetsOf(components: readonly string[]): Set<string> {
  const files = filesByName();
  const [seen, sheets] = [new Set<string>(), new Set<string>()];
  const visit = (file: string): void => {
    if (seen.has(file) || !existsSync(file)) return;
    seen.add(file);
    if (file.endsWith(".module.mjs")) sheets.add(path.basename(file, ".module.mjs"));
    else {
      for (const [, from = ""] of readFileSync(file, "utf8").matchAll(/from "(\.[^"]+)"/g)) {
        visit(path.resolve(path.dirname(file), from));
      }
    }
  };
  for (const name of components) visit(files.get(name) ?? "");
  return sheets;
}

test("the style sheets of all components in use are loaded, of no others, and in Mantine's order", () => {
  const used = [...sourcesBelow("app", /\.tsx?$/), ...sourcesBelow(NOTIFICATIONS, /\.mjs$/)].flatMap(namesIn);
  expect(used.length).toBeGreaterThan(50);
  const loaded = [
    ...readFileSync("app/_ui/frame/mantine-styles.ts", "utf8").matchAll(/"@mantine\/core\/styles\/([\w-]+)\.css"/g),
  ].map(([, name = ""]) => name);
  expect(loaded.toSorted()).toEqual([...new Set([...BASE, ...sheetsOf(used)])].sort());

  const all = readFileSync(path.join(CORE, "styles.css"), "utf8");
  const placeOf = (name: string) => all.indexOf(readFileSync(path.join(CORE, "styles", `${name}.css`), "utf8").trim());
  const places = loaded.map(placeOf);
  expect(places.filter((place) => place < 0)).toEqual([]);
  expect(places).toEqual(places.toSorted((a, b) => a - b));
});
