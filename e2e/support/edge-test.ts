/** The `test` of attacks on the web process: each file has its own process, which trusts forwarded addresses. */
import { randomInt } from "node:crypto";
import { openSession } from "../../test/network/operator-session";
import { type Answered, ask } from "../../test/network/plain-http";
import { test as base } from "../test";
import { type OwnWeb, startWeb } from "./processes";

type Fixtures = {
  /** Cookies of a session of `account`'s owner. */
  cookie: string;
};

export const test = base.extend<Fixtures, { web: OwnWeb }>({
  web: [
    async ({ service }, use) => {
      const web = await startWeb(service, { TRUSTED_PROXIES: "127.0.0.0/8", SIGN_UP_OPEN: "true" });
      await use(web);
      await web.stop();
    },
    { scope: "worker", timeout: 90_000 },
  ],
  cookie: async ({ web, account }, use) => use((await openSession(web.url, account)).join("; ")),
});

/** Headers of a request from an address that no other test uses. */
export const fromSomewhere = (): Record<string, string> => ({
  "x-forwarded-for": `198.18.${randomInt(256)}.${randomInt(256)}`,
});

const JSON_TYPE = { "content-type": "application/json" };

/** Calls procedures of the console. `paths` separated by commas form a batch. */
export const call = (
  url: string,
  paths: string,
  body: string,
  headers: Record<string, string> = {},
): Promise<Answered> =>
  ask(url, {
    method: "POST",
    path: `/api/trpc/${paths}${paths.includes(",") ? "?batch=1" : ""}`,
    headers: { ...JSON_TYPE, ...headers },
    body,
  });

/** The error that the console's client reads from a response. */
export const errorIn = ({ text }: Answered): { message: string; code: number; data: Record<string, unknown> } =>
  JSON.parse(text).error;

export { expect } from "@playwright/test";
