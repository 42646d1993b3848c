/** Checks the house rules of CONTRIBUTING.md that no linter knows. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const LINES_MAX = 350;
const FILES_MAX = 25;
const FOLDERS = ["app", "bench", "e2e", "prisma", "scripts", "sdk", "server", "test", "worker"];
/** Installed, or written by a program. */
const NOT_OURS =
  /\/node_modules\/|^(prisma\/generated\/|sdk\/dist\/|sdk\/src\/schema\.d\.ts$|app\/_ui\/icons\/drawings\/)/;

const files = FOLDERS.flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((file) => `${folder}/${file.replaceAll(path.sep, "/")}`)
    .filter((file) => /\.(ts|tsx|mjs)$/.test(file) && !NOT_OURS.test(file)),
);
const isTest = (file: string): boolean => /\.(test|spec)\.tsx?$/.test(file);

test("no source file is too long", () => {
  const tooLong = files.filter((file) => readFileSync(file, "utf8").split("\n").length - 1 > LINES_MAX);
  expect(tooLong).toEqual([]);
});

test("no folder has too many source files besides tests", () => {
  const counts = new Map<string, number>();
  for (const file of files.filter((name) => !isTest(name))) {
    const folder = path.dirname(file);
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  expect([...counts].filter(([, count]) => count > FILES_MAX)).toEqual([]);
});

test("the stages of a subject are one level deep", () => {
  expect(files.filter((file) => /^server\/[^/]+\/[^/]+\/[^/]+\//.test(file))).toEqual([]);
});

test("core has exactly the files that are listed", () => {
  const rules = readFileSync("CONTRIBUTING.md", "utf8");
  const [, list = ""] = rules.match(/\*\*core\/ is a closed list\*\*: ([^.]+)\./) ?? [];
  const listed = [...list.replaceAll("`database/`", "").matchAll(/[a-z]+(?:-[a-z]+)*/g)].map(([name]) => name);
  const found = readdirSync("server/core", { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !isTest(file))
    .map((file) => path.basename(file, ".ts"));
  expect(listed.filter((name) => name !== "and").sort()).toEqual(found.sort());
});

/** `centre` is missing: SMPP and GSM call a message centre so. */
const BRITISH =
  /\w*(?:behaviour|colour|licence|honour|neighbour|dialled|modelled|signalled|cancelled|cancelling|misspelt|analys(?:e|ed|es|ing)\b|enrol(?:s|ment)?\b|(?:author|capital|final|initial|normal|optim|organ|recogn|serial|synchron)is(?:e|ed|es|ing|ation)\b)\w*/gi;
/** Words of a provider and of Node.js, and one by which people search. */
const OF_OTHERS = new Set(["Cancelled", "ECANCELLED", "colours"]);

test("words are spelled as in the United States", () => {
  const guides = readdirSync("docs", { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".md"));
  const texts = [...files, ...guides.map((file) => path.join("docs", file)), "CONTRIBUTING.md", "README.md"];
  const british = texts
    .filter((file) => file !== "scripts/house-rules.test.ts")
    .flatMap((file) => (readFileSync(file, "utf8").match(BRITISH) ?? []).map((word) => `${file}: ${word}`))
    .filter((found) => !OF_OTHERS.has(found.split(": ")[1] ?? ""));
  expect(british).toEqual([]);
});
