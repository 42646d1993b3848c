import { expect, test, vi } from "vitest";
import { env } from "../../core/env";
import { log } from "../../core/log";
import { believePeerHeader } from "./caller-address";
import { isUndeclaredProxy, warnOfUndeclaredProxy } from "./undeclared-proxy";

vi.mock("../../core/log", () => ({ log: vi.fn() }));

test("a proxy that forwards for others and is not trusted is noticed", () => {
  expect(isUndeclaredProxy("10.0.0.1", "198.51.100.4", [])).toBe(true);
  expect(isUndeclaredProxy("10.0.0.1", "198.51.100.4", ["10.0.0.0/8"])).toBe(false);
  // As Next adds it where the caller sent none.
  expect(isUndeclaredProxy("::ffff:10.0.0.1", "::ffff:10.0.0.1", [])).toBe(false);
  expect(isUndeclaredProxy("10.0.0.1", undefined, [])).toBe(false);
  expect(isUndeclaredProxy("", "198.51.100.4", [])).toBe(false);
});

test("the log tells of it once a minute at most", () => {
  believePeerHeader();
  vi.stubEnv("DATABASE_URL", "postgresql://unused");
  vi.stubEnv("SECRET_KEY", "x".repeat(32));
  env().TRUSTED_PROXIES = ["192.0.2.1"];
  const headers: Record<string, string> = { "x-peer-address": "10.0.0.1", "x-forwarded-for": "198.51.100.4" };
  for (let request = 0; request < 5; request += 1) warnOfUndeclaredProxy((name) => headers[name]);
  const warning = ["warn", "auth.proxy_not_trusted", expect.objectContaining({ peer: "10.0.0.1" })];
  expect(vi.mocked(log).mock.calls).toEqual([warning]);
});
