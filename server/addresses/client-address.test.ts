import { describe, expect, it } from "vitest";
import { clientAddress } from "./client-address";

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
