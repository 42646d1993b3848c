import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { pool } from "../core/db";
import { accessTokens, tokenRequest } from "./http/access-token";
import type { WireResponse } from "./port";
import { storedToken } from "./stored-token";

const granted = (token: string): WireResponse => ({
  status: 200,
  headers: {},
  body: JSON.stringify({ access_token: token, expires_in: 3_600 }),
});

/** Processes with the same credentials, and a token server that grants `<name>-1`, `<name>-2` and so on. */
function processes(count: number, respond: (token: string) => WireResponse | Promise<WireResponse> = granted) {
  const name = randomUUID();
  const request = tokenRequest("https://id.example.test/token", name, "secret");
  let asked = 0;
  const call = async () => {
    asked += 1;
    return respond(`${name}-${asked}`);
  };
  return {
    name,
    asked: () => asked,
    store: storedToken("bandwidth", request),
    tokens: Array.from({ length: count }, () => accessTokens(call, storedToken("bandwidth", request))),
  };
}

const expireIn = (interval: string) =>
  pool().query("UPDATE provider_tokens SET expires_at = now() + $1::interval", [interval]);

test("processes that need a token at the same time request it once, and all get it", async () => {
  const { name, tokens, asked } = processes(5);
  const got = await Promise.all(tokens.map((each) => each.get()));
  expect(got).toEqual(Array(5).fill({ token: `${name}-1` }));
  expect(asked()).toBe(1);
});

test("the stored token is sealed, and other credentials have their own", async () => {
  const [one, other] = [processes(1), processes(1)];
  await one.tokens[0]?.get();
  await other.tokens[0]?.get();
  const { rows } = await pool().query<{ text: string }>("SELECT t::text AS text FROM provider_tokens t");
  for (const { text } of rows) {
    expect(text).not.toContain(one.name);
    expect(text).not.toContain(other.name);
  }
  expect([one.asked(), other.asked()]).toEqual([1, 1]);
});

test("when a token is about to expire, one process requests a new one, and the others go on with the old one", async () => {
  const { name, tokens, store } = processes(1);
  await tokens[0]?.get();
  await expireIn("100 seconds");
  expect(await store.take()).toMatchObject({ kind: "leased" });
  expect(await store.take()).toMatchObject({ kind: "stored", token: `${name}-1` });
  await store.keep("renewed", 3_600_000);
  expect(await store.take()).toMatchObject({ kind: "stored", token: "renewed" });
});

test("a process that was killed during its request blocks the others only until its lease is over", async () => {
  const { name, tokens, store, asked } = processes(1);
  expect(await store.take()).toMatchObject({ kind: "leased" });
  expect(await store.take()).toMatchObject({ kind: "stored", token: null });
  await pool().query("UPDATE provider_tokens SET leased_until = now() WHERE token_sealed IS NULL");
  expect(await tokens[0]?.get()).toEqual({ token: `${name}-1` });
  expect(asked()).toBe(1);
});

test("a lease taken before the database's clock was set back does not last until the clock has caught up", async () => {
  const { store } = processes(1);
  expect(await store.take()).toMatchObject({ kind: "leased" });
  await pool().query(
    "UPDATE provider_tokens SET leased_until = now() + interval '26 hours' WHERE token_sealed IS NULL",
  );
  expect(await store.take()).toMatchObject({ kind: "leased" });
});

test("a refused request ends the lease, so that the next caller requests a token again", async () => {
  let isRefusing = true;
  const { name, tokens } = processes(2, (token) =>
    isRefusing ? { status: 503, headers: {}, body: "" } : granted(token),
  );
  expect(await tokens[0]?.get()).toMatchObject({ refusal: { kind: "retryable" } });
  isRefusing = false;
  expect(await tokens[1]?.get()).toEqual({ token: `${name}-2` });
});

test("when the provider rejects a token, a new one is requested once, by whichever process noticed it", async () => {
  const { name, tokens, asked } = processes(2);
  await Promise.all(tokens.map((each) => each.get()));
  for (const each of tokens) each.drop(`${name}-1`);
  expect(await Promise.all(tokens.map((each) => each.get()))).toEqual(Array(2).fill({ token: `${name}-2` }));
  expect(asked()).toBe(2);
});
