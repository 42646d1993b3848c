import { expect, test } from "vitest";
import { networkOf } from "./counted-network";

test("an IPv4 address counts by itself, even when a dual-stack socket reports it", () => {
  expect(networkOf("203.0.113.7")).toBe("203.0.113.7");
  expect(networkOf("::ffff:203.0.113.7")).toBe("203.0.113.7");
});

test("all addresses of an IPv6 /64 count as one, those of another do not", () => {
  const one = networkOf("2001:db8:1:2::1");
  expect(networkOf("2001:db8:1:2:ffff:abcd:1:2")).toBe(one);
  expect(networkOf("2001:db8:1:3::1")).not.toBe(one);
});

test("text that is not an address is its own network", () => {
  expect(networkOf("")).toBe("");
  expect(networkOf("unix")).toBe("unix");
});
