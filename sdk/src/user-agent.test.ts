import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { refusal, startStub, success } from "../stub-service";
import { MessagingClient } from "./client";
import { userAgentOf } from "./user-agent";

const { version } = JSON.parse(readFileSync("sdk/package.json", "utf8"));
const OWN = `messaging-service-typescript/${version}`;

test("requests name the client, its version and that of Node, also when they are retried", async () => {
  const { baseUrl, seen } = await startStub((_, at) => (at === 0 ? refusal(503) : success({})));
  await new MessagingClient({ baseUrl, apiKey: "ds_live_test", backoffMs: 1 }).account.get();
  const expected = `${OWN} node/${process.versions.node}`;
  expect(seen.map(({ headers }) => headers["user-agent"])).toEqual([expected, expected]);
});

test("the caller's own program comes first", async () => {
  const { baseUrl, seen } = await startStub(() => success({}));
  await new MessagingClient({ baseUrl, apiKey: "ds_live_test", userAgent: "shop/1.2" }).account.get();
  expect(seen[0]?.headers["user-agent"]).toBe(`shop/1.2 ${OWN} node/${process.versions.node}`);
});

test.each(["", " shop", "shop\r\nx-role: owner", "магазин"])("%j is refused as a name", (userAgent) => {
  const make = () => new MessagingClient({ baseUrl: "http://localhost", apiKey: "ds_live_test", userAgent });
  expect(make).toThrow(/userAgent must be visible ASCII/);
});

test.each([
  [{ process: { versions: { node: "20.1.0", bun: "1.2.3" } } }, "bun/1.2.3"],
  [{ process: { versions: { node: "20.1.0" } }, Deno: { version: { deno: "2.1.0" } } }, "deno/2.1.0"],
])("%j is %s", (globals, runtime) => {
  expect(userAgentOf(undefined, globals)).toBe(`${OWN} ${runtime}`);
});

test("another runtime is not named, and in browsers and their workers nothing is", () => {
  expect(userAgentOf(undefined, {})).toBe(OWN);
  expect(userAgentOf(undefined, { process: {} })).toBe(OWN);
  expect(userAgentOf("shop/1.2", { document: {} })).toBeNull();
  expect(userAgentOf("shop/1.2", { importScripts: () => {}, process: { versions: {} } })).toBeNull();
});
