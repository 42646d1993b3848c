/** The `test` of the contract suite, with a client that declares its expectation of every response. */
import { test as base } from "../test";
import type { OwnAccount } from "./accounts";
import { type CheckedApi, checkedApi } from "./checked-api";

type TestFixtures = {
  /** The REST API with the key of `account`, which has every scope. */
  rest: CheckedApi;
  /** An unrelated account, and its API. */
  stranger: { account: OwnAccount; rest: CheckedApi };
  /** Creates a key of `account` with these scopes and settings. @returns its API. */
  keyed: (settings: Record<string, unknown>) => Promise<CheckedApi>;
};

export const test = base.extend<TestFixtures>({
  rest: ({ service, contract, account }, use) => use(checkedApi(service, contract, account.apiKey)),
  stranger: async ({ service, contract, newAccount }, use) => {
    const account = await newAccount();
    await use({ account, rest: checkedApi(service, contract, account.apiKey) });
  },
  keyed: ({ rest }, use) =>
    use(async (settings) => {
      const key = await rest.post<{ plain_key: string }>("/api-keys/create", { name: "Test", ...settings });
      return rest.withKey(key.plain_key);
    }),
});

export { expect } from "@playwright/test";
