/** Checks after the whole suite that the books match, recurring jobs ran, and every documented response occurred at least once. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { databaseUrlOf, openDatabase } from "../support/books";
import { ranMark, responsesFile } from "../support/contract";
import { expect, test } from "../support/contract-test";

/** No caller can cause these. For one operation a database that closes its connections provokes them; the others are alike. */
const FROM_WITHIN = ["500", "503"];
const PROVOKED = "POST /messages/send 503";

test("after the whole run every balance is the sum of its ledger, and every message is billed once", async ({
  operator,
}) => {
  expect(await operator.findDrift()).toEqual([]);
});

test("after the whole run the audit log is as its digests say", async ({ operator }) => {
  expect(await operator.command("audit check", {})).toMatchObject({ digests: expect.any(Number), faults: [] });
});

test("the sweeps of the worker ran every minute of this run", async ({ service }) => {
  const database = await openDatabase(databaseUrlOf(service));
  const sweeps = await database
    .rows<{ identifier: string; isLate: boolean }>(
      `SELECT identifier, known_since < now() - interval '2 minutes'
         AND coalesce(last_execution, '-infinity') < now() - interval '2 minutes' AS "isLate"
       FROM graphile_worker._private_known_crontabs WHERE identifier LIKE 'sweep\\_%' ORDER BY identifier`,
    )
    .finally(database.close);
  expect(sweeps).toEqual(
    ["sweep_alerts", "sweep_messages", "sweep_webhooks"].map((identifier) => ({ identifier, isLate: false })),
  );
});

test("every documented status of every operation occurred in this run", ({ service, contract }, { config, file }) => {
  const noted = existsSync(responsesFile(service)) ? readFileSync(responsesFile(service), "utf8").split("\n") : [];
  const folder = path.dirname(file);
  const specs = readdirSync(folder).filter((name) => name.endsWith(".spec.ts"));
  const isWhole = specs.every((name) => noted.includes(ranMark(name))) && String(config.grep) === "/.*/";
  test.skip(!isWhole, "Only a part of the suite was run.");
  const promised = Object.entries(contract.document.paths).flatMap(([template, methods]) =>
    Object.entries(methods).flatMap(([method, { responses }]) =>
      Object.keys(responses).map((status) => `${method.toUpperCase()} ${template} ${status}`),
    ),
  );
  const wanted = promised.filter(
    (answer) => answer === PROVOKED || !FROM_WITHIN.some((status) => answer.endsWith(` ${status}`)),
  );
  expect(wanted).toContain(PROVOKED);
  const missing = wanted.filter((answer) => !noted.includes(answer));
  expect(missing).toEqual([]);
});
