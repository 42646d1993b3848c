import { describe, expect, it } from "vitest";
import { isAddressAllowed, isNetworkWithin } from "./networks";

describe("isAddressAllowed", () => {
  it.each(["203.0.113.7", "2001:db8::1", "::ffff:1.2.3.4", "not an address"])("allows %s without a list", (address) => {
    expect(isAddressAllowed(address, null)).toBe(true);
    expect(isAddressAllowed(address, [])).toBe(true);
  });

  it.each([
    ["203.0.113.7", ["203.0.113.7"], true],
    ["203.0.113.8", ["203.0.113.7"], false],
    ["203.0.113.7", ["198.51.100.1", "203.0.113.0/24"], true],
    ["203.0.114.0", ["203.0.113.0/24"], false],
    ["203.0.112.255", ["203.0.113.0/24"], false],
    ["203.0.113.129", ["203.0.113.128/25"], true],
    ["203.0.113.127", ["203.0.113.128/25"], false],
    ["255.255.255.255", ["0.0.0.0/0"], true],
    ["::ffff:203.0.113.7", ["203.0.113.7"], true],
    ["::ffff:cb00:7107", ["203.0.113.0/24"], true],
    ["::ffff:203.0.113.8", ["203.0.113.7"], false],
    ["2001:db8::1", ["0.0.0.0/0"], false],
    ["::1", ["203.0.113.7", "127.0.0.1"], false],
    ["::203.0.113.7", ["203.0.113.7"], false],
    ["", ["0.0.0.0/0"], false],
    ["localhost", ["0.0.0.0/0"], false],
    ["127.1", ["127.0.0.1"], false],
    ["203.0.113.7", ["garbage"], false],
    ["203.0.113.7", ["garbage", "203.0.113.7"], true],
    ["203.0.113.7", ["203.0.113.7/99"], false],
  ])("%s with %j: %s", (address, allowed, expected) => {
    expect(isAddressAllowed(address, allowed)).toBe(expected);
  });
});

describe("isNetworkWithin", () => {
  it.each([
    ["10.0.0.0/8", ["10.0.0.0/8"], true],
    ["10.1.0.0/16", ["192.0.2.0/24", "10.0.0.0/8"], true],
    ["10.0.0.1", ["10.0.0.0/8"], true],
    // They begin alike, and the first is wider.
    ["10.0.0.0/7", ["10.0.0.0/8"], false],
    ["203.0.113.0/24", ["203.0.113.0"], false],
    ["2001:db8::/31", ["2001:db8::/32"], false],
    ["2001:db8::1", ["0.0.0.0/0"], false],
    ["garbage", ["0.0.0.0/0"], false],
  ])("%s within %j: %s", (network, networks, expected) => {
    expect(isNetworkWithin(network, networks)).toBe(expected);
  });
});
