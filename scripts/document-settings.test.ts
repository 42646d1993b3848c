/** Checks that the settings and log events named in documents for operators exist, with the defaults that these state. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test, vi } from "vitest";
import { Settings } from "@/server/core/env";
import { PROVIDERS } from "@/server/providers/schema";
import { settingFields } from "@/server/providers/settings";

vi.stubEnv("DATABASE_URL", "postgresql://nobody@127.0.0.1/none");
vi.stubEnv("SECRET_KEY", "0".repeat(32));

const DOCUMENTS = ["README.md", ".env.example", ...readdirSync("docs").map((name) => path.join("docs", name))].filter(
  // That guide is about the settings of tests.
  (file) => /\.(md|example)$/.test(file) && file !== "docs/testing.md",
);

/** Settings that other programs read, or that only commands do, and other names in capitals. */
const OTHERS = new Set([
  ...["DATA_DIR", "POSTGRES_BIN", "CHROMIUM_PATH"],
  ...["NODE_EXTRA_CA_CERTS", "HTTPS_PROXY", "NO_PROXY"],
  ...["OTEL_TRACES_SAMPLER", "OTEL_TRACES_SAMPLER_ARG", "OTEL_SERVICE_NAME", "OTEL_RESOURCE_ATTRIBUTES"],
  // A status of SMPP, and one of Clickatell.
  ...["ESME_RMSGQFUL", "ROUTING_ERROR"],
]);

const ofProviders = new Set(
  PROVIDERS.flatMap((provider) => settingFields(provider).map(({ environment }) => environment)),
);

const isSetting = (name: string): name is keyof typeof Settings.shape => Object.hasOwn(Settings.shape, name);

/** All matches of a pattern in all documents, each with its document. */
const matchesOf = (form: RegExp) =>
  DOCUMENTS.flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(form)].map(([, name = "", value = ""]) => ({ file, name, value })),
  );

test("every setting that documents name exists", () => {
  const named = matchesOf(/`([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)(?:=[^`]*)?`/g);
  expect(named.length).toBeGreaterThan(100);
  const isKnown = (name: string) => isSetting(name) || ofProviders.has(name) || OTHERS.has(name);
  expect(named.filter(({ name }) => !isKnown(name))).toEqual([]);
});

test("the values that documents give to settings are valid", () => {
  const given = matchesOf(/`([A-Z][A-Z0-9_]+)=([^`]+)`/g).filter(({ name }) => isSetting(name));
  expect(given.length).toBeGreaterThan(5);
  const isValid = ({ name, value }: (typeof given)[number]) =>
    isSetting(name) && Settings.shape[name].safeParse(value).success;
  expect(given.filter((each) => !isValid(each))).toEqual([]);
});

test("the defaults that documents state behind the names of settings are the real ones", () => {
  const stated = matchesOf(/`([A-Z][A-Z0-9_]+)`\s+\(`?([\d,.]+|[a-z]+)`?\)/g).filter(({ name }) => isSetting(name));
  expect(stated.length).toBeGreaterThan(5);
  const defaultOf = (name: string) => (isSetting(name) ? String(Settings.shape[name].parse(undefined)) : "");
  expect(stated.filter(({ name, value }) => defaultOf(name) !== value.replace(/(?<=\d),(?=\d{3})/g, ""))).toEqual([]);
});

test("every log event that guides for operators name in their text is logged", () => {
  const sources = ["server", "worker", "prisma"].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => /\.ts$/.test(name) && !/\.test\.ts$|generated/.test(name))
      .map((name) => readFileSync(path.join(folder, name), "utf8")),
  );
  const logged = new Set(
    sources.flatMap((source) => [...source.matchAll(/"([a-z_]+\.[a-z_]+)"/g)].map(([, name]) => name)),
  );
  // Logged with the state of an alert as its second half.
  const ofAlerts = ["alert.raised", "alert.cleared"];
  // Not of the log: a file, a column, fields of responses, and files of the source.
  const isOther = (name: string) =>
    ["postgresql.conf", "message_attempts.provider_detail"].includes(name) ||
    /^(checks|details|error)\.|\.(ts|md)$/.test(name);
  const named = ["operations", "providers", "security", "scaling", "limits", "receiving"].flatMap((guide) => {
    const text = readFileSync(`docs/${guide}.md`, "utf8").replace(/^\|.*$/gm, "");
    return [...text.matchAll(/`([a-z_]+\.[a-z_]+)`/g)].flatMap(([, name = ""]) =>
      isOther(name) ? [] : [{ guide, name }],
    );
  });
  expect(named.length).toBeGreaterThan(40);
  expect(named.filter(({ name }) => !logged.has(name) && !ofAlerts.includes(name))).toEqual([]);
});
