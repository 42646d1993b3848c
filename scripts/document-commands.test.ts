/** Checks that the commands and metrics named in documents exist. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { COMMANDS } from "./admin/commands";

const markdownIn = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith(".md"))
    .map((name) => path.join(folder, name));

const DOCUMENTS = [
  "README.md",
  "CONTRIBUTING.md",
  ...["docs", "docs/decisions", "bench", "e2e/prove"].flatMap(markdownIn),
  ...["deploy/compose.yaml", "deploy/kubernetes/messaging-service.yaml"],
];

/** All matches of a pattern with one group in all documents, each with its document. */
const namedIn = (form: RegExp): { file: string; name: string }[] =>
  DOCUMENTS.flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(form)].map(([, name = ""]) => ({ file, name: name.replace(/\s+/g, " ") })),
  );

test("every npm script that documents name exists", () => {
  const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as { scripts: Record<string, string> };
  const named = namedIn(/\bnpm run (?:-s )?([a-z][a-z:]*)/g);
  expect(named.length).toBeGreaterThan(50);
  expect(named.filter(({ name }) => !(name in scripts))).toEqual([]);
});

test("every command of the operator's command line that documents name exists", () => {
  const named = namedIn(/\b(?:npm run admin --|node dist\/admin\.mjs) ([a-z]+\s+[a-z-]+)/g);
  expect(named.length).toBeGreaterThan(15);
  expect(named.filter(({ name }) => !COMMANDS.has(name))).toEqual([]);
});

test("every option that documents give to such a command is one of its own", () => {
  const given = DOCUMENTS.flatMap((file) =>
    [
      ...readFileSync(file, "utf8").matchAll(
        /\b(?:npm run admin --|node dist\/admin\.mjs) ([a-z]+ [a-z-]+)( [^`\n]*)?/g,
      ),
    ].flatMap(([, name = "", rest = ""]) =>
      [...rest.matchAll(/(?<= )--([a-z-]+)/g)].map(([, option = ""]) => ({ file, name, option })),
    ),
  );
  expect(given.length).toBeGreaterThan(10);
  const isOption = ({ name, option }: (typeof given)[number]) =>
    option === "json" || COMMANDS.get(name)?.options.includes(option);
  expect(given.filter((each) => !isOption(each))).toEqual([]);
});

test("dumps never lead through a pooler, where their search_path would stay behind for the service", () => {
  const dumps = DOCUMENTS.flatMap((file) => readFileSync(file, "utf8").match(/^pg_dump .*$/gm) ?? []);
  expect(dumps.length).toBeGreaterThan(0);
  expect(dumps.filter((command) => !command.includes("DATABASE_DIRECT_URL:-"))).toEqual([]);
});

test("every metric that documents name is measured", () => {
  const sources = [
    "server/core/metrics.ts",
    ...readdirSync("server/observability").map((name) => `server/observability/${name}`),
  ]
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
    .map((file) => readFileSync(file, "utf8"))
    .join("\n");
  const named = namedIn(/\b(messaging_[a-z_]+_[a-z]+)\b/g).filter(({ name }) => !name.startsWith("messaging_service"));
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter(({ name }) => !sources.includes(`"${name}"`))).toEqual([]);
});
