/** Installations for a test: database, web process, workers, and emulated carriers as providers. */
import { randomBytes } from "node:crypto";
import { type CarrierName, type Carriers, startCarriers } from "../../../test/carriers/all";
import type { OwnAccount } from "../accounts";
import { type Database, openDatabase } from "../books";
import { type OwnProcess, type OwnWeb, runCommand, startApi, startWorker } from "../processes";
import type { Service } from "../service";
import { BALANCE, makeDatabase, SENDER } from "./template";

/** Price of a segment, in micro-units. */
export const PRICE_MICROS = 10_000;

export type Installation<Name extends CarrierName = CarrierName> = {
  web: OwnWeb;
  database: Database;
  carriers: Carriers<Name>;
  workers: OwnProcess[];
  /** Starts another worker. */
  addWorker: () => Promise<OwnProcess>;
  /** A new account with an approved sender. */
  makeAccount: () => Promise<OwnAccount>;
  /** A key of an account's test mode. */
  makeTestKey: (accountId: string) => Promise<string>;
  /** A route chosen by its number alone. @returns its number. */
  makeRoute: (...chain: string[]) => Promise<number>;
  /** The receipt URL to enter in a provider's console. */
  receiptUrlOf: (provider: string) => string;
  close: () => Promise<void>;
};

export type InstallationOptions<Name extends CarrierName> = {
  carriers: readonly Name[];
  workers?: number;
  /** Settings of web and workers. */
  settings?: Record<string, string>;
};

/** Starts an installation. */
export async function startInstallation<Name extends CarrierName>(
  service: Service,
  { carriers: names, workers: count = 1, settings = {} }: InstallationOptions<Name>,
): Promise<Installation<Name>> {
  const [{ url: databaseUrl, drop, accounts, receiptPaths }, carriers] = await Promise.all([
    makeDatabase(service),
    startCarriers(names),
  ]);
  const environments = names.map((name) => carriers[name].environment);
  const shared = Object.assign({}, ...environments, settings) as Record<string, string>;
  const admin = async (...args: string[]) =>
    JSON.parse(await runCommand("admin.mjs", databaseUrl, ...args, "--json")) as unknown;
  const [web, database] = await Promise.all([startApi(service, { databaseUrl, ...shared }), openDatabase(databaseUrl)]);
  const workers: OwnProcess[] = [];
  const addWorker = async () => {
    const worker = await startWorker(service, databaseUrl, { ...shared, PUBLIC_URL: web.url });
    workers.push(worker);
    return worker;
  };
  await Promise.all(Array.from({ length: count }, addWorker));

  return {
    web,
    database,
    carriers,
    workers,
    addWorker,
    makeAccount: async () => {
      const prepared = accounts.shift();
      if (prepared) return prepared;
      const owner = ["--email", `test-${randomBytes(5).toString("hex")}@example.com`];
      const purse = ["--balance", String(BALANCE), "--sender", SENDER];
      return (await admin("account", "create", ...owner, ...purse)) as OwnAccount;
    },
    makeTestKey: async (accountId) => {
      const made = await admin("key", "create", "--account", accountId, "--name", "Test", "--test");
      return (made as { apiKey: string }).apiKey;
    },
    makeRoute: async (...chain) => {
      const [route] = await database.rows<{ id: number }>(
        "INSERT INTO routes (prefix, chain, price_micros) VALUES ('', $1, $2) RETURNING id",
        [chain, PRICE_MICROS],
      );
      return route?.id ?? 0;
    },
    receiptUrlOf: (provider) => new URL(receiptPaths[provider] ?? "", web.url).href,
    close: async () => {
      await Promise.all([web.stop(), database.close(), ...workers.map((worker) => worker.stop())]);
      await Promise.all(names.map((name) => carriers[name].close()));
      await drop();
    },
  };
}
