/** The one `test` of all end-to-end tests. Every test that uses `account` gets one of its own. */
import { appendFileSync } from "node:fs";
import { test as base, type Page } from "@playwright/test";
import { type Receiver, startReceiver } from "../test/network/receiver";
import { givenAccount, type OwnAccount } from "./support/accounts";
import { type Api, apiWith } from "./support/api";
import { answersFile, ranMark } from "./support/contract";
import { operatorOf } from "./support/operator";
import { isForeign, runningService, type Service } from "./support/service";

type TestFixtures = {
  /**
   * An account with its owner, 100.00 of balance, an approved sender and a key with all scopes; in a smoke run against
   * another installation the one that was given.
   */
  account: OwnAccount;
  /** The REST API with that account's key. */
  api: Api;
  /** A customer's web server: a real one on loopback, which records what it is sent. */
  receiver: Receiver;
  /** A page on which the owner of `account` is signed in. */
  console: Page;
  /** Notes that the file has run. */
  ran: undefined;
};

type WorkerFixtures = {
  service: Service;
  /** Makes an account that no other test knows; in a smoke run against another installation it is the one that was given. */
  newAccount: () => Promise<OwnAccount>;
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
  account: async ({ newAccount }, use) => use(await newAccount()),
  api: ({ service, account }, use) => use(apiWith(service, account.apiKey)),
  // biome-ignore lint/correctness/noEmptyPattern: see above.
  receiver: async ({}, use) => {
    const receiver = await startReceiver();
    await use(receiver);
    await receiver.close();
  },
  console: async ({ page, account }, use) => {
    await page.goto("/sign-in");
    await page.getByLabel("Email").fill(account.email);
    await page.getByLabel("Password", { exact: true }).fill(account.password);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.waitForURL("/");
    await use(page);
  },
  ran: [
    async ({ service }, use, { file }) => {
      await use(undefined);
      appendFileSync(answersFile(service), `${ranMark(file)}\n`);
    },
    { auto: true },
  ],
});

export { expect } from "@playwright/test";
