import { randomInt } from "node:crypto";
import { type CheckedApi, checkedApi } from "../support/checked-api";
import { test as base, expect } from "../support/contract-test";
import type { OwnWeb } from "../support/processes";

const HERE = "127.0.0.1";
const CLIENT = "203.0.113.7";
const OTHER = "198.51.100.9";

type Fixtures = {
  /** The API behind a proxy on this machine, with a key of `account` that works only from CLIENT. */
  proxied: CheckedApi;
  /** The same key at a process that trusts no proxy. */
  direct: CheckedApi;
};

const test = base.extend<Fixtures>({
  direct: async ({ keyed }, use) => use(await keyed({ allowed_ips: [CLIENT] })),
  proxied: async ({ rest, trustingWeb, contract }, use) => {
    const settings = { name: "Proxied", allowed_ips: [CLIENT] };
    const { plain_key } = await rest.post<{ plain_key: string }>("/api-keys/create", settings);
    await use(checkedApi(trustingWeb, contract, plain_key));
  },
});

const from = (forwardedFor: string) => ({
  method: "GET",
  path: "/account",
  headers: { "x-forwarded-for": forwardedFor },
});

test("behind a trusted proxy the right-most address that is no proxy is the caller's", async ({ proxied }) => {
  const allowed = [
    CLIENT,
    `${OTHER}, ${CLIENT}`,
    `not an address, ${CLIENT}`,
    `${CLIENT}, ${HERE}`,
    `${OTHER},${CLIENT},${HERE}`,
  ];
  for (const forwardedFor of allowed) expect((await proxied.ask(from(forwardedFor))).status, forwardedFor).toBe(200);
});

test("addresses that a caller writes further left do not let it in", async ({ proxied }) => {
  const refused: [forwardedFor: string, address: string][] = [
    [OTHER, OTHER],
    [`${CLIENT}, ${OTHER}`, OTHER],
    [`${CLIENT}, ${OTHER}, ${HERE}`, OTHER],
    [`${CLIENT}, unknown`, HERE],
    [`${CLIENT},`, HERE],
    [HERE, HERE],
  ];
  for (const [forwardedFor, address] of refused) {
    const { details } = await proxied.refusal(403, from(forwardedFor));
    expect(details, forwardedFor).toEqual({ reason: "ip_not_allowed", address });
  }
  const { details } = await proxied.refusal(403, { method: "GET", path: "/account" });
  expect(details).toEqual({ reason: "ip_not_allowed", address: HERE });
});

test("an IPv4 address in its IPv6 form is that IPv4 address", async ({ proxied }) => {
  for (const forwardedFor of [`::ffff:${CLIENT}`, `${CLIENT}, ::ffff:${HERE}`, "::ffff:cb00:7107"]) {
    expect((await proxied.ask(from(forwardedFor))).status, forwardedFor).toBe(200);
  }
  const { details } = await proxied.refusal(403, from(`::ffff:${OTHER}`));
  expect(details).toEqual({ reason: "ip_not_allowed", address: OTHER });
});

test("without a trusted proxy the header is ignored", async ({ direct }) => {
  for (const forwardedFor of [CLIENT, `${CLIENT}, ${HERE}`, `::ffff:${CLIENT}`]) {
    const { details } = await direct.refusal(403, from(forwardedFor));
    expect(details, forwardedFor).toEqual({ reason: "ip_not_allowed", address: HERE });
  }
});

/** Tries to sign in with an unknown email. @returns the reason of the failure, as shown to the browser. */
async function failSignIn(web: OwnWeb, email: string, headers: Record<string, string>): Promise<string | null> {
  const start = await fetch(`${web.url}/api/auth/csrf`);
  const { csrfToken } = (await start.json()) as { csrfToken: string };
  const cookie = start.headers.getSetCookie().map((line) => line.split(";")[0] ?? "");
  const answer = await fetch(`${web.url}/api/auth/callback/credentials`, {
    method: "POST",
    headers: { ...headers, cookie: cookie.join("; ") },
    body: new URLSearchParams({ email, password: "wrong", csrfToken, json: "true" }),
    redirect: "manual",
  });
  const { url } = (await answer.json()) as { url: string };
  return new URL(url).searchParams.get("error");
}

test("password guesses are counted by the address that the proxy saw, whatever the caller claims", async ({
  trustingWeb,
}) => {
  const [guesser, neighbor] = [`192.0.2.${randomInt(1, 120)}`, `192.0.2.${randomInt(130, 250)}`];
  const email = `${randomInt(1e9)}@example.com`;
  const guess = (address: string) =>
    failSignIn(trustingWeb, email, {
      "x-forwarded-for": `10.0.0.${randomInt(1, 250)}, ${address}`,
      "x-peer-address": `10.0.1.${randomInt(1, 250)}`,
    });
  for (let failures = 0; failures < 5; failures += 1) expect(await guess(guesser)).toBe("CredentialsSignin");
  expect(await guess(guesser)).toMatch(/^Too many failed sign-ins/);
  expect(await guess(neighbor)).toBe("CredentialsSignin");
});
