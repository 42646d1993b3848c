/** The `test` of the contract suite, with a client that declares its expectation of every response. */
import { test as base } from "../test";
import type { OwnAccount } from "./accounts";
import { type CheckedApi, checkedApi } from "./checked-api";
import { type Contract, contractOf } from "./contract";
import { type Operator, operatorOf } from "./operator";

type TestFixtures = {
  /** The REST API with the key of `account`, which has every scope. */
  rest: CheckedApi;
  /** An unrelated account, and its API. */
  stranger: { account: OwnAccount; rest: CheckedApi };
  /** Creates a key of `account` with these scopes and settings. @returns its API. */
  keyed: (settings: Record<string, unknown>) => Promise<CheckedApi>;
};

export const test = base.extend<TestFixtures, { contract: Contract; operator: Operator }>({
  contract: [async ({ service }, use) => use(await contractOf(service)), { scope: "worker" }],
  operator: [
    async ({ service }, use) => {
      const operator = operatorOf(service);
      await use(operator);
      await operator.close();
    },
    { scope: "worker" },
  ],
  account: async ({ operator }, use) => use(await operator.makeAccount()),
  rest: ({ service, contract, account }, use) => use(checkedApi(service, contract, account.apiKey)),
  stranger: async ({ service, contract, operator }, use) => {
    const account = await operator.makeAccount();
    await use({ account, rest: checkedApi(service, contract, account.apiKey) });
  },
  keyed: ({ rest }, use) =>
    use(async (settings) => {
      const key = await rest.post<{ plain_key: string }>("/api-keys/create", { name: "Test", ...settings });
      return rest.withKey(key.plain_key);
    }),
});

export { expect } from "@playwright/test";
