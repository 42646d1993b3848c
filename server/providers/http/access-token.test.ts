import { expect, test } from "vitest";
import { stallFor } from "@/test/network/stalls";
import { healthSignalOf } from "../health/breaker";
import type { WireResponse } from "../port";
import { accessTokens, tokenRequest } from "./access-token";

const json = (status: number, body: unknown): WireResponse => ({ status, headers: {}, body: JSON.stringify(body) });

/** A token server that grants `t1`, `t2`, ... for 600 s, and a clock. */
function serve(respond?: (asked: number) => WireResponse | Promise<WireResponse>) {
  const clock = { ms: 0 };
  let asked = 0;
  const tokens = accessTokens(
    async () => {
      asked += 1;
      return respond ? respond(asked) : json(200, { access_token: `t${asked}`, token_type: "Bearer", expires_in: 600 });
    },
    null,
    () => clock.ms,
  );
  return { tokens, clock, asked: () => asked };
}

test("callers at the same time share one request, and later ones its token", async () => {
  const { tokens, asked } = serve();
  expect(await Promise.all([tokens.get(), tokens.get(), tokens.get()])).toEqual(Array(3).fill({ token: "t1" }));
  expect(await tokens.get()).toEqual({ token: "t1" });
  expect(asked()).toBe(1);
});

test("a token is renewed early without anybody waiting, and never used after it has expired", async () => {
  const { tokens, clock, asked } = serve();
  await tokens.get();
  clock.ms = 500_000;
  expect(await tokens.get()).toEqual({ token: "t1" });
  expect(asked()).toBe(2);
  expect(await tokens.get()).toEqual({ token: "t2" });
  clock.ms = 2_000_000;
  expect(await tokens.get()).toEqual({ token: "t3" });
});

test("while a renewal fails the old token is used as long as it is valid", async () => {
  const { tokens, clock } = serve((asked) =>
    asked === 1 ? json(200, { access_token: "t1", expires_in: 600 }) : json(503, {}),
  );
  await tokens.get();
  clock.ms = 500_000;
  expect(await tokens.get()).toEqual({ token: "t1" });
  clock.ms = 585_000;
  expect(await tokens.get()).toEqual({ token: "t1" });
  clock.ms = 595_000;
  expect(await tokens.get()).toMatchObject({ refusal: { kind: "retryable", fault: "provider" } });
});

test("a dropped token is requested again, once for all callers that held it", async () => {
  const { tokens, asked } = serve();
  await tokens.get();
  tokens.drop("t1");
  expect(await tokens.get()).toEqual({ token: "t2" });
  tokens.drop("t1");
  expect(await tokens.get()).toEqual({ token: "t2" });
  expect(asked()).toBe(2);
});

test.each([
  [400, { error: "invalid_client", error_description: "Unknown client" }, "account"],
  [401, {}, "account"],
  [429, {}, "throttled"],
  [500, "no JSON", "provider"],
  [200, { token: "?" }, "provider"],
  [200, { access_token: "t1\n" }, "provider"],
  [200, { access_token: "t\u0434" }, "provider"],
] as const)("HTTP %i %j: nothing was sent, fault %s", async (status, body, fault) => {
  const { tokens } = serve(() => json(status, body));
  expect(await tokens.get()).toMatchObject({ refusal: { kind: "retryable", fault } });
});

test("a server that cannot be reached, or never responds, leaves the message unsent", async () => {
  const { tokens } = serve(() => Promise.reject(new Error("ECONNREFUSED")));
  expect(await tokens.get()).toMatchObject({
    refusal: { kind: "retryable", code: "token_unreachable", fault: "provider" },
  });
});

test("a token server that could not be reached during a stall of this process is not to blame", async () => {
  const { tokens } = serve(async () => {
    await stallFor(400);
    throw new Error("ECONNRESET");
  });
  const access = await tokens.get();
  expect("refusal" in access && healthSignalOf(access.refusal)).toBeNull();
});

test("the request follows RFC 6749, 4.4.2", () => {
  expect(tokenRequest("https://id.example/token", "client", "s:é")).toEqual({
    method: "POST",
    url: "https://id.example/token",
    headers: {
      authorization: `Basic ${Buffer.from("client:s:é").toString("base64")}`,
      accept: "application/json",
      "content-type": "application/x-www-form-urlencoded",
    },
    body: "grant_type=client_credentials",
  });
});

test("while the store does not respond, a process requests its own token", async () => {
  const down = () => Promise.reject(new Error("the database is down"));
  const tokens = accessTokens(async () => json(200, { access_token: "own", expires_in: 600 }), {
    take: down,
    keep: down,
    release: down,
    drop: down,
  });
  expect(await tokens.get()).toEqual({ token: "own" });
  tokens.drop("own");
  expect(await tokens.get()).toEqual({ token: "own" });
});
