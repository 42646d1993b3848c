import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { readEnv, Settings } from "@/server/core/env";
import { stopWithinMs } from "@/worker/stop-limit";
import { NODE_OPTIONS_OF } from "./node-options";

const read = (name: string): string => readFileSync(`deploy/${name}`, "utf8");
const units = readdirSync("deploy/systemd").map((name) => `deploy/systemd/${name}`);

/** systemd-analyze also needs Node where the units expect it. */
const canVerify = spawnSync("systemd-analyze", ["--version"]).status === 0;

test.skipIf(!canVerify)("systemd finds no fault in the units (skipped without systemd-analyze)", () => {
  const { stdout, stderr } = spawnSync("systemd-analyze", ["verify", ...units], { encoding: "utf8" });
  const output = `${stdout}${stderr}`.split("\n").filter((line) => line !== "" && !line.includes("/usr/bin/node"));
  expect(output).toEqual([]);
});

test("no settings file overrides the settings of a unit's instance", () => {
  for (const unit of units) expect(readFileSync(unit, "utf8"), unit).not.toMatch(/^Environment=.*%i/m);
  const web = read("systemd/messaging-web@.service");
  expect(web).toMatch(/^ExecStart=\/usr\/bin\/env PORT=%i \/usr\/bin\/node \S+ dist\/web\.mjs$/m);
  expect(web).toMatch(/^EnvironmentFile=-\/etc\/messaging-service\/web-%i\.env$/m);
});

type Manifest = { kind: string; metadata: { name: string; labels?: { part?: string } } };

test("an upgrade on Kubernetes applies each part separately, web processes before workers, and omits none", () => {
  const text = read("kubernetes/messaging-service.yaml");
  const objects = parseAllDocuments(text).map((document) => document.toJS() as Manifest);
  const parts = ["settings", "migrate", "web", "worker"];
  expect(new Set(objects.map(({ metadata }) => metadata.labels?.part))).toEqual(new Set(parts));
  const orderOf = (source: string) => [...source.matchAll(/apply .*-l part=(\w+)/g)].map(([, part]) => part);
  expect(orderOf(text)).toEqual(parts);
  expect(orderOf(readFileSync("docs/operations.md", "utf8"))).toEqual(parts);
  const named = [...text.matchAll(/^#.* (job|deployment)[/ ](messaging-\S+)$/gm)].map(
    ([, kind, name]) => `${kind} ${name}`,
  );
  const present = objects.map(({ kind, metadata }) => `${kind.toLowerCase()} ${metadata.name}`);
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((name) => !present.includes(name))).toEqual([]);
});

test.each([
  ["deploy/systemd/messaging-web@.service", "web"],
  ["deploy/systemd/messaging-worker@.service", "worker"],
  ["deploy/compose.yaml", "worker"],
  ["deploy/kubernetes/messaging-service.yaml", "worker"],
  ["deploy/Dockerfile", "web"],
  ["deploy/Dockerfile", "worker"],
  ["package.json", "web"],
  ["package.json", "worker"],
] as const)("%s starts %s processes with Node's options for them", (file, name) => {
  const words = readFileSync(file, "utf8").replace(/[",[\]]/g, "");
  expect(words).toContain(`node ${NODE_OPTIONS_OF[name].join(" ")} dist/${name}.mjs`);
});

test.each([
  ["systemd/messaging-worker@.service", /^TimeoutStopSec=(\d+)$/m],
  ["compose.yaml", /^ {2}stop_grace_period: (\d+)s$/m],
  ["kubernetes/messaging-service.yaml", /name: messaging-worker\n[\s\S]*?terminationGracePeriodSeconds: (\d+)/],
])("%s gives a worker more time than it needs to stop", (file, form) => {
  const [, given] = form.exec(read(file)) ?? [];
  const { PROVIDER_TIMEOUT_MS } = readEnv({
    DATABASE_URL: "postgresql://postgres/messaging",
    SECRET_KEY: "x".repeat(32),
  });
  expect(Number(given) * 1_000).toBeGreaterThan(stopWithinMs(PROVIDER_TIMEOUT_MS));
});

test("manifests and compose file set only settings that exist", () => {
  const ofPostgresImage = ["POSTGRES_USER", "POSTGRES_PASSWORD", "POSTGRES_DB", "POSTGRES_INITDB_ARGS"];
  const known = new Set([...Object.keys(Settings.shape), ...ofPostgresImage]);
  const inKubernetes = [...read("kubernetes/messaging-service.yaml").matchAll(/^ {2}([A-Z_]+):/gm)];
  const inPods = [...read("kubernetes/messaging-service.yaml").matchAll(/name: ([A-Z_]+), value/g)];
  const inCompose = [...read("compose.yaml").matchAll(/^ {4,6}([A-Z_]+):/gm)];
  const named = [...inKubernetes, ...inPods, ...inCompose].map(([, name]) => name ?? "");
  expect(named.length).toBeGreaterThan(15);
  expect(named.filter((name) => !known.has(name))).toEqual([]);
});

/** Settings that the compose file need not have: it has no pooler, standby or second kind of web process, and the image sets the rest. */
const NOT_OF_COMPOSE = [
  ...["DATABASE_DIRECT_URL", "DATABASE_READ_URL", "DATABASE_STATEMENT_NAMES", "CONSOLE"],
  ...["NODE_ENV", "HOST", "PORT"],
];

test("the compose file passes on every other setting, so that each has an effect there", () => {
  const passed = [...read("compose.yaml").matchAll(/^ {4}([A-Z_]+):/gm)].map(([, name]) => name ?? "");
  const left = Object.keys(Settings.shape).filter((name) => !passed.includes(name));
  expect(left.sort()).toEqual(NOT_OF_COMPOSE.toSorted());
});

test("a setting that the compose file passes on empty gets its default", () => {
  const passed = [...read("compose.yaml").matchAll(/^ {4}([A-Z_]+): \$\{\w+:-(.*)\}$/gm)];
  expect(passed.length).toBeGreaterThan(30);
  const given = Object.fromEntries(passed.map(([, name, value]) => [name, value]));
  const required = { DATABASE_URL: "postgresql://postgres/messaging", SECRET_KEY: "x".repeat(32) };
  const { TRUSTED_PROXIES: _, ...settings } = readEnv({ ...given, ...required });
  const { TRUSTED_PROXIES: __, ...defaults } = readEnv(required);
  expect(settings).toEqual(defaults);
});

test("probes and health checks request paths that a process serves", () => {
  const served = ["/health", "/health/ready", "/api/health", "/api/health/ready"];
  const text = `${read("kubernetes/messaging-service.yaml")}${read("compose.yaml")}${read("Dockerfile")}`;
  const asked = [...text.matchAll(/(?:path: |9464|PORT\})(\/[a-z/]*health[a-z/]*)/g)].map(([, path]) => path ?? "");
  expect(asked.length).toBeGreaterThanOrEqual(7);
  expect(asked.filter((path) => !served.includes(path))).toEqual([]);
});

test("no process imports anything that the image omits", () => {
  const [, left = ""] = /rm -rf ([^&]*?)\n\n/.exec(read("Dockerfile")) ?? [];
  const names = left.split(/[\s\\]+/).filter((name) => name !== "" && !name.endsWith("*"));
  expect(names.length).toBeGreaterThan(10);
  const sources = ["server", "worker", "prisma", "app"].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => /\.tsx?$/.test(name) && !/\.test\.tsx?$|generated/.test(name))
      .map((name) => readFileSync(`${folder}/${name}`, "utf8")),
  );
  const imported = names.filter((name) =>
    sources.some((source) => new RegExp(`^import (?!type).*from "${name}(/|")`, "m").test(source)),
  );
  expect(imported).toEqual([]);
});
