/** The `test` of all end-to-end tests. Every test that uses `account` gets its own account. */
import { appendFileSync } from "node:fs";
import { test as base, type Page } from "@playwright/test";
import { type Receiver, startReceiver } from "../test/network/receiver";
import { givenAccount, type OwnAccount } from "./support/accounts";
import { type Api, apiWith } from "./support/api";
import { type Contract, contractOf, ranMark, responsesFile } from "./support/contract";
import type { KeptInstallation } from "./support/installation/keep-installation";
import { graveLines } from "./support/logs";
import { type Operator, operatorOf } from "./support/operator";
import { type OwnWeb, startWeb } from "./support/processes";
import { isForeign, runningService, type Service } from "./support/service";
import { signIn } from "./support/sign-in";

type TestFixtures = {
  /**
   * An account with its owner, 100.00 of balance, an approved sender and a key with all scopes; in a smoke run against
   * another installation, the given account.
   */
  account: OwnAccount;
  /** The REST API with that account's key. */
  api: Api;
  /** A customer's web server: a real one on loopback, which records the requests that it receives. */
  receiver: Receiver;
  /** An empty page of a browser in which the owner of `account` is signed in. */
  console: Page;
  /** Notes that the file has run, and shows what the service logged during a failed test. */
  ran: undefined;
};

/**
 * Fixtures made at first use and shared by the tests of a test process. All are declared here, because Playwright starts another
 * process, with another browser, for a file whose `test` declares more of them.
 */
type WorkerFixtures = {
  service: Service;
  /**
   * Creates an account for one test; in a smoke run against another installation, returns the given account.
   * @param balance in units of its currency.
   */
  newAccount: (balance?: number) => Promise<OwnAccount>;
  /** The operator's commands. */
  operator: Operator;
  /** The contract that every response is checked against. */
  contract: Contract;
  /** A second web process next to `service`'s, which trusts forwarded addresses. */
  trustingWeb: OwnWeb;
  /** The installation of the running test file. */
  keptInstallation: KeptInstallation;
};

export const test = base.extend<TestFixtures, WorkerFixtures>({
  service: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of fixtures from this pattern.
    async ({}, use) => use(runningService()),
    { scope: "worker" },
  ],
  baseURL: ({ service }, use) => use(service.url),
  newAccount: [
    async ({ service }, use) => {
      if (isForeign()) return use(() => givenAccount(service));
      const operator = operatorOf(service);
      await use(operator.makeAccount);
      await operator.close();
    },
    { scope: "worker" },
  ],
  operator: [
    async ({ service }, use) => {
      const operator = operatorOf(service);
      await use(operator);
      await operator.close();
    },
    { scope: "worker" },
  ],
  contract: [async ({ service }, use) => use(await contractOf(service)), { scope: "worker" }],
  trustingWeb: [
    async ({ service }, use) => {
      const web = await startWeb(service, { TRUSTED_PROXIES: "127.0.0.0/8", SIGN_UP_OPEN: "true" });
      await use(web);
      await web.stop();
    },
    { scope: "worker", timeout: 480_000 },
  ],
  keptInstallation: [
    async ({ service }, use) => {
      // Loaded here, because most test processes need no emulated carriers.
      const { keepInstallation } = await import("./support/installation/keep-installation");
      const kept = keepInstallation(service);
      await use(kept);
      await kept.close();
    },
    { scope: "worker", timeout: 480_000 },
  ],
  account: async ({ newAccount }, use) => use(await newAccount()),
  api: ({ service, account }, use) => use(apiWith(service, account.apiKey)),
  // biome-ignore lint/correctness/noEmptyPattern: see above.
  receiver: async ({}, use) => {
    const receiver = await startReceiver();
    await use(receiver);
    await receiver.close();
  },
  console: async ({ page, service, account }, use) => {
    await signIn(page, service, account);
    await use(page);
  },
  ran: [
    async ({ service }, use, info) => {
      const startedAt = new Date();
      await use(undefined);
      appendFileSync(responsesFile(service), `${ranMark(info.file)}\n`);
      if (info.status !== info.expectedStatus && !isForeign()) console.error(graveLines(service, startedAt).join("\n"));
    },
    { auto: true },
  ],
});

export { expect } from "@playwright/test";
