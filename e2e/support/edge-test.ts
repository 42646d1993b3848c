/** The `test` of attacks on the web process, with a process that trusts forwarded addresses. */
import { randomInt } from "node:crypto";
import { openSession } from "../../test/network/operator-session";
import { ask, type Responded } from "../../test/network/plain-http";
import { test as base } from "../test";
import type { OwnWeb } from "./processes";

type Fixtures = {
  /** A web process that trusts forwarded addresses. */
  web: OwnWeb;
  /** Cookies of a session of `account`'s owner. */
  cookie: string;
};

export const test = base.extend<Fixtures>({
  web: ({ trustingWeb }, use) => use(trustingWeb),
  cookie: async ({ web, account }, use) => use((await openSession(web.url, account)).join("; ")),
});

const PLACES = 65_536;
let lastPlace = randomInt(PLACES);

/** Headers of a request from an address that no other test uses. Addresses are used in turn, because a reused one may be throttled. */
export function fromSomewhere(): Record<string, string> {
  lastPlace = (lastPlace + 1) % PLACES;
  return { "x-forwarded-for": `198.18.${lastPlace >> 8}.${lastPlace & 255}` };
}

const JSON_TYPE = { "content-type": "application/json" };

/** Calls procedures of the console. `paths` separated by commas form a batch. */
export const call = (
  url: string,
  paths: string,
  body: string,
  headers: Record<string, string> = {},
): Promise<Responded> =>
  ask(url, {
    method: "POST",
    path: `/api/trpc/${paths}${paths.includes(",") ? "?batch=1" : ""}`,
    headers: { ...JSON_TYPE, ...headers },
    body,
  });

/** The error that the console's client reads from a response. */
export const errorIn = ({ text }: Responded): { message: string; code: number; data: Record<string, unknown> } =>
  JSON.parse(text).error;

export { expect } from "@playwright/test";
