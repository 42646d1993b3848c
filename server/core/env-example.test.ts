import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { Settings } from "./env";

/** Settings that only the commands read, each with the file that reads it. */
const OF_COMMANDS = {
  DATA_DIR: "scripts/local/settings.ts",
  CHROMIUM_PATH: "scripts/chromium.ts",
  POSTGRES_BIN: "scripts/postgres/programs.ts",
} as const;

const LINE = /^(# )?([A-Z][A-Z0-9_]*)=(.*)$/gm;
const lines = [...readFileSync(".env.example", "utf8").matchAll(LINE)].map(([, comment, name = "", text = ""]) => ({
  name,
  text,
  isExample: comment !== undefined,
}));

/** A default in the notation of an environment file. */
const asText = (value: unknown): string => (Array.isArray(value) ? value.join(",") : String(value));

test(".env.example names every setting once, and nothing else", () => {
  const names = [...Object.keys(Settings.shape), ...Object.keys(OF_COMMANDS)];
  expect(lines.map(({ name }) => name).sort()).toEqual(names.sort());
});

test.each(Object.entries(OF_COMMANDS))("%s is read by %s", (name, file) => {
  expect(readFileSync(file, "utf8")).toContain(`process.env.${name}`);
});

describe.each(Object.entries(Settings.shape))("%s in .env.example", (name, schema) => {
  const line = lines.find((own) => own.name === name);
  const unset = schema.safeParse(undefined);

  test("has its real default", () => {
    // Required settings and some optional ones have no default.
    if (!unset.success) expect(line?.isExample).toBe(false);
    else if (unset.data === undefined) expect(line?.isExample).toBe(true);
    else expect(line).toEqual({ name, text: asText(unset.data), isExample: false });
  });

  test("has a valid value", () => {
    if (line?.text) expect(schema.safeParse(line.text).error).toBeUndefined();
  });
});
