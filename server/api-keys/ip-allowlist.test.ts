import { describe, expect, it } from "vitest";
import { clientAddress, isAddressAllowed, parseAllowedIp } from "./ip-allowlist";

describe("parseAllowedIp", () => {
  it.each([
    ["203.0.113.7", "203.0.113.7"],
    ["0.0.0.0", "0.0.0.0"],
    ["203.0.113.7/32", "203.0.113.7"],
    ["203.0.113.0/24", "203.0.113.0/24"],
    ["10.1.2.3/8", "10.0.0.0/8"],
    ["203.0.113.255/31", "203.0.113.254/31"],
    ["1.2.3.4/0", "0.0.0.0/0"],
  ])("reads %s as %s", (text, value) => {
    expect(parseAllowedIp(text)).toEqual({ ok: true, value });
  });

  it.each([
    "",
    "localhost",
    "1.2.3",
    "1.2.3.4.5",
    "256.1.1.1",
    "010.0.0.1",
    "0x7f.0.0.1",
    "2130706433",
    "10/8",
    " 1.2.3.4",
    "1.2.3.4 ",
    "1.2.3.4\n",
    "1.2.3.4/",
    "1.2.3.4/33",
    "1.2.3.4/-1",
    "1.2.3.4/08",
    "1.2.3.4/+8",
    "1.2.3.4/8.0",
    "1.2.3.4/ 8",
    "1.2.3.4/24/8",
    "1.2.3.4/255.255.255.0",
    "1.2.3.4:80",
    "::1",
    "2001:db8::/32",
    "::ffff:1.2.3.4",
    "::ffff:1.2.3.4/128",
  ])("refuses %j", (text) => {
    expect(parseAllowedIp(text)).toEqual({ ok: false, error: expect.stringMatching(/IPv4/) });
  });
});

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

describe("clientAddress", () => {
  const proxies = ["10.0.0.0/8", "127.0.0.1", "2001:db8:1::/48", "::1"];

  it.each([
    { name: "no header", peer: "10.0.0.1", forwardedFor: undefined, client: "10.0.0.1" },
    { name: "null header", peer: "10.0.0.1", forwardedFor: null, client: "10.0.0.1" },
    { name: "empty header", peer: "10.0.0.1", forwardedFor: "", client: "10.0.0.1" },
    { name: "untrusted peer", peer: "203.0.113.9", forwardedFor: "198.51.100.1", client: "203.0.113.9" },
    { name: "trusted peer", peer: "10.0.0.1", forwardedFor: "198.51.100.1", client: "198.51.100.1" },
    { name: "trusted single address", peer: "127.0.0.1", forwardedFor: "198.51.100.1", client: "198.51.100.1" },
    { name: "a near miss of it", peer: "127.0.0.2", forwardedFor: "198.51.100.1", client: "127.0.0.2" },
    { name: "forged left part", peer: "10.0.0.1", forwardedFor: "1.1.1.1, 198.51.100.1", client: "198.51.100.1" },
    { name: "two proxies", peer: "10.0.0.1", forwardedFor: "1.1.1.1,198.51.100.1 ,10.2.2.2", client: "198.51.100.1" },
    {
      name: "trusted entry left of the client",
      peer: "10.0.0.1",
      forwardedFor: "10.3.3.3, 198.51.100.1, 10.2.2.2",
      client: "198.51.100.1",
    },
    { name: "all trusted", peer: "10.0.0.1", forwardedFor: "10.4.4.4, 10.3.3.3, 10.2.2.2", client: "10.4.4.4" },
    { name: "malformed last", peer: "10.0.0.1", forwardedFor: "198.51.100.1, unknown", client: "10.0.0.1" },
    { name: "malformed next", peer: "10.0.0.1", forwardedFor: "198.51.100.1, _x, 10.2.2.2", client: "10.2.2.2" },
    { name: "empty entry", peer: "10.0.0.1", forwardedFor: "198.51.100.1,,10.2.2.2", client: "10.2.2.2" },
    { name: "entry with a port", peer: "10.0.0.1", forwardedFor: "198.51.100.1:4711", client: "10.0.0.1" },
    { name: "octal entry", peer: "10.0.0.1", forwardedFor: "0306.51.100.1", client: "10.0.0.1" },
    {
      name: "malformed beyond the client",
      peer: "10.0.0.1",
      forwardedFor: "junk, 198.51.100.1",
      client: "198.51.100.1",
    },
    { name: "mapped peer", peer: "::ffff:203.0.113.9", forwardedFor: undefined, client: "203.0.113.9" },
    { name: "mapped trusted peer", peer: "::ffff:10.0.0.1", forwardedFor: "198.51.100.1", client: "198.51.100.1" },
    {
      name: "mapped entries",
      peer: "10.0.0.1",
      forwardedFor: "::ffff:198.51.100.1, ::ffff:10.2.2.2",
      client: "198.51.100.1",
    },
    { name: "IPv6 proxies", peer: "::1", forwardedFor: "2001:db8:2::5, 2001:db8:1::9", client: "2001:db8:2::5" },
    { name: "a peer that is no address", peer: "unix", forwardedFor: "198.51.100.1", client: "unix" },
  ])("$name", ({ peer, forwardedFor, client }) => {
    expect(clientAddress({ peer, forwardedFor, trustedProxies: proxies })).toBe(client);
  });

  it("ignores the header when no proxy is trusted or the list is invalid", () => {
    for (const trustedProxies of [[], ["10.0.0.0/33"], ["10/8"], ["0.0.0.0/8"], ["::/0"], ["proxy.internal"]]) {
      expect(clientAddress({ peer: "10.0.0.1", forwardedFor: "198.51.100.1", trustedProxies })).toBe("10.0.0.1");
    }
  });
});
