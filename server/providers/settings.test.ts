import { readFileSync } from "node:fs";
import { expect, test, vi } from "vitest";
import { PROVIDERS } from "./schema";
import { readSettings, settingFields } from "./settings";

vi.stubEnv("DATABASE_URL", "postgresql://nobody@127.0.0.1/none");
vi.stubEnv("SECRET_KEY", "0".repeat(32));

test("a setting too long for the bind of SMPP is refused by name, in octets", () => {
  const longest = {
    url: "smpp://127.0.0.1",
    systemId: "s".repeat(15),
    password: "p".repeat(8),
    systemType: "t".repeat(12),
  };
  expect(readSettings("smpp", longest)).toMatchObject(longest);
  for (const [param, value, octets] of [
    ["systemId", "s".repeat(16), 15],
    ["password", "p".repeat(9), 8],
    ["password", "pässwör", 8],
    ["systemType", "t".repeat(13), 12],
  ] as const) {
    const entered = () => readSettings("smpp", { ...longest, [param]: value });
    expect(entered).toThrow(`${param}: must have at most ${octets} octets (SMPP 3.4)`);
  }
});

test("the fields of SMPP keep their marks", () => {
  const fields = new Map(settingFields("smpp").map((field) => [field.name, field]));
  expect(fields.get("password")).toMatchObject({
    isSecret: true,
    isRequired: true,
    description: "password, at most 8 octets",
  });
  expect(fields.get("systemId")).toMatchObject({ isSecret: false, isRequired: true });
  expect(fields.get("systemType")).toMatchObject({
    isRequired: false,
    description: "system_type; most centres want none",
  });
});

test("docs/providers.md has a row for every setting with its variable, and for no other", () => {
  // It explains these once for all providers.
  const ofAll = new Set(["baseUrl", "receiptNetworks"]);
  const guide = readFileSync("docs/providers.md", "utf8");
  const text = guide.replace(/\s+/g, " ");
  const namesIn = (cell: string) => [...cell.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name);
  const listed = [...guide.matchAll(/^\| ((?:`[a-z]\w*`(?:, )?)+) \| ((?:`[A-Z][A-Z0-9_]*`(?:, )?)+) \|/gm)].flatMap(
    ([, settings = "", variables = ""]) => {
      const environments = namesIn(variables);
      return namesIn(settings).map((name, at) => `${name} ${environments[at]}`);
    },
  );
  const fields = PROVIDERS.flatMap((provider) => settingFields(provider));
  const lineOf = ({ name, environment }: (typeof fields)[number]) => `${name} ${environment}`;
  const known = new Set(fields.map(lineOf));
  expect(listed.filter((line) => !known.has(line))).toEqual([]);
  // Further addresses of an API are named in the text.
  const isNamed = ({ name, environment }: (typeof fields)[number]) =>
    ofAll.has(name) || listed.includes(`${name} ${environment}`) || text.includes(`\`${name}\` (\`${environment}\`)`);
  expect(fields.filter((field) => !isNamed(field)).map(lineOf)).toEqual([]);
});
