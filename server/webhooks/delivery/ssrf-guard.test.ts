import { createServer, type Server } from "node:http";
import { type AddressInfo, getDefaultAutoSelectFamily, setDefaultAutoSelectFamily } from "node:net";
import { request } from "undici";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import {
  createSsrfGuard,
  isBlockedUrlError,
  type LookupAll,
  type SsrfGuard,
  type SsrfGuardOptions,
  shownReason,
} from "./ssrf-guard";

const LOOPBACK = ["127.0.0.0/8", "::1/128"];
const PUBLIC = "93.184.216.34";

const guards: SsrfGuard[] = [];

function guardWith(options: Partial<SsrfGuardOptions> = {}): SsrfGuard {
  const guard = createSsrfGuard({ allowedNetworks: [], lookup: fakeLookup({}), ...options });
  guards.push(guard);
  return guard;
}

/** Resolves each name from the table; the last of several results repeats. Records the queries. */
function fakeLookup(table: Readonly<Record<string, readonly (readonly string[])[]>>): LookupAll & { asked: string[] } {
  const asked: string[] = [];
  const lookup: LookupAll = async (hostname) => {
    const answers = table[hostname] ?? [];
    const turn = asked.filter((name) => name === hostname).length;
    asked.push(hostname);
    const answer = answers[Math.min(turn, answers.length - 1)];
    if (answer === undefined) throw new Error(`queryA ENOTFOUND ${hostname}`);
    return answer.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
  };
  return Object.assign(lookup, { asked });
}

async function refused(request: Promise<unknown>, reason: string, what?: string): Promise<void> {
  await expect(request, what).rejects.toMatchObject({ name: "BlockedUrlError", reason });
}

afterEach(async () => {
  await Promise.all(guards.splice(0).map((guard) => guard.close()));
});

describe("assertAllowed: the URL", () => {
  it("allows http: and https: on any port", async () => {
    const guard = guardWith({ lookup: fakeLookup({ "hook.example": [[PUBLIC, "2606:2800::1"]] }) });
    await guard.assertAllowed("https://hook.example/x?y#z");
    await guard.assertAllowed("http://hook.example");
    await guard.assertAllowed("http://hook.example:22/");
  });

  it.each([
    ["invalid_url", ["", "/hook", "hook.example", "http://", "http://256.1.1.1/", "http://hook.example:99999/"]],
    ["protocol_not_allowed", ["ftp://hook.example/", "file:///etc/passwd", "javascript:alert(1)", "unix:/run/x.sock"]],
    ["credentials_in_url", ["https://user@hook.example/", "https://u:p@hook.example/", "https://:p@hook.example/"]],
    ["unresolvable_host", ["https://nowhere.example/", "https://empty.example/", "https://./"]],
  ])("refuses for %s", async (reason, urls) => {
    const guard = guardWith({ lookup: fakeLookup({ "hook.example": [[PUBLIC]], "empty.example": [[]] }) });
    for (const url of urls) await refused(guard.assertAllowed(url), reason, url);
  });

  it("rejects with an error that can be recognized and shown", async () => {
    const lookup = fakeLookup({ "hook.example": [["10.1.2.3"]] });
    const { assertAllowed } = guardWith({ lookup });
    const error: unknown = await assertAllowed("https://hook.example/").catch((thrown) => thrown);
    expect(isBlockedUrlError(error)).toBe(true);
    expect(isBlockedUrlError(new Error("other"))).toBe(false);
    expect(String(error)).toBe("BlockedUrlError: The host of the URL has no public address.");
  });

  it("shows the same for a name that nobody has and for one of the operator's network", async () => {
    const lookup = fakeLookup({ "database.internal": [["10.1.2.3"]], "mixed.internal": [["10.1.2.3", PUBLIC]] });
    const { assertAllowed } = guardWith({ lookup });
    const shown = await Promise.all(
      ["database.internal", "mixed.internal", "nowhere.internal"].map((host) =>
        assertAllowed(`https://${host}/`).catch((thrown) => [thrown.message, shownReason(thrown)]),
      ),
    );
    expect(new Set(shown.map(String)).size).toBe(1);
    expect(shown[0]).toEqual(["The host of the URL has no public address.", "no_public_address"]);
  });
});

describe("assertAllowed: the address", () => {
  it.each([
    ["loopback", ["127.0.0.1", "127.255.255.254", "::1"]],
    ["private", ["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1"]],
    ["link-local and metadata", ["169.254.169.254", "169.254.0.1", "fe80::1", "fd00:ec2::254"]],
    ["unspecified", ["0.0.0.0", "0.1.2.3", "::"]],
    ["carrier-grade NAT", ["100.64.0.1", "100.127.255.255"]],
    ["protocol assignments", ["192.0.0.1", "192.0.0.192", "192.88.99.1"]],
    ["benchmarking", ["198.18.0.1", "198.19.255.255", "2001:2::1"]],
    ["documentation", ["192.0.2.1", "198.51.100.1", "203.0.113.1", "2001:db8::1", "3fff::1"]],
    ["multicast", ["224.0.0.1", "239.255.255.255", "ff02::1"]],
    ["reserved and broadcast", ["240.0.0.1", "255.255.255.255"]],
    ["unique and site local", ["fc00::1", "fdff::1", "fec0::1"]],
    ["IPv4-mapped", ["::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:a9fe:a9fe", "::ffff:0:127.0.0.1"]],
    ["IPv4-compatible", ["::127.0.0.1", "::8.8.8.8"]],
    ["NAT64", ["64:ff9b::7f00:1", "64:ff9b::808:808", "64:ff9b:1::a00:1"]],
    ["6to4 and Teredo", ["2002:7f00:1::1", "2002:808:808::1", "2001::1"]],
    ["unassigned", ["4000::1", "5f00::1", "100::1"]],
  ])("refuses %s, by name and by literal", async (_, addresses) => {
    for (const address of addresses) {
      const guard = guardWith({ lookup: fakeLookup({ "hook.example": [[address]] }) });
      await refused(guard.assertAllowed("https://hook.example/"), "address_not_public", address);
      const literal = address.includes(":") ? `[${address}]` : address;
      await refused(guard.assertAllowed(`https://${literal}/`), "address_not_public", literal);
    }
  });

  it.each([
    ["169.254.169.254", "169.254.0.0/16"],
    ["169.254.170.2", "169.254.170.0/24"],
    ["168.63.129.16", "168.63.129.0/24"],
    ["100.100.100.200", "100.64.0.0/10"],
    ["192.0.0.192", "192.0.0.0/24"],
    ["fd00:ec2::254", "fd00::/8"],
    ["fd20:ce::254", "fc00::/7"],
  ])(
    "refuses the clouds' metadata address %s, also within %s, unless it is opened by itself",
    async (address, network) => {
      const lookup = fakeLookup({ "hook.example": [[address]] });
      const literal = address.includes(":") ? `[${address}]` : address;
      const urls = ["https://hook.example/", `http://${literal}/`];
      if (!address.includes(":")) urls.push(`http://[::ffff:${address}]/`);
      for (const allowedNetworks of [[], [network], ["0.0.0.0/0", "::/0"]]) {
        const { assertAllowed } = guardWith({ lookup, allowedNetworks });
        for (const url of urls) await refused(assertAllowed(url), "address_not_public", url);
      }
      const exactly = `${address}/${address.includes(":") ? 128 : 32}`;
      const { assertAllowed } = guardWith({ lookup, allowedNetworks: [network, exactly] });
      for (const url of urls) await assertAllowed(url);
    },
  );

  it("refuses a result that is not a plain address", async () => {
    for (const address of ["", "localhost", "127.1", "0x7f000001", "8.8.8", "8.8.8.8 ", "fe80::1%eth0"]) {
      const guard = guardWith({ lookup: fakeLookup({ "hook.example": [[address]] }) });
      await refused(guard.assertAllowed("https://hook.example/"), "address_not_public", address);
    }
  });

  it("allows public addresses, by name and by literal", async () => {
    for (const address of [
      "8.8.8.8",
      "100.63.255.255",
      "100.128.0.1",
      "172.32.0.1",
      "2606:4700::1",
      "::ffff:8.8.8.8",
    ]) {
      const guard = guardWith({ lookup: fakeLookup({ "hook.example": [[address]] }) });
      await guard.assertAllowed("https://hook.example/");
      await guard.assertAllowed(`https://${address.includes(":") ? `[${address}]` : address}/`);
    }
  });

  it.each([
    ..."127.1 2130706433 0x7f000001 0x7f.0.0.1 0177.0.0.1 017700000001 127.0.0.1. %31%32%37.0.0.1 0".split(" "),
    ..."１２７。０。０。１ [0:0:0:0:0:0:0:1] [::ffff:7f00:1] [::ffff:127.0.0.1] \\\\127.0.0.1".split(" "),
  ])("sees through the spelling %s without asking the resolver", async (host) => {
    const lookup = fakeLookup({});
    const url = `http://${host}/`;
    await refused(guardWith({ lookup }).assertAllowed(url), "address_not_public");
    await guardWith({ lookup, allowedNetworks: [...LOOPBACK, "0.0.0.0/8"] }).assertAllowed(url);
    expect(lookup.asked).toEqual([]);
  });

  it("refuses a name if any of its addresses is not public, in whatever position", async () => {
    for (const answer of ["8.8.8.8 10.0.0.1", "10.0.0.1 8.8.8.8", "8.8.8.8 2606:4700::1111 ::1"]) {
      const guard = guardWith({ lookup: fakeLookup({ "hook.example": [answer.split(" ")] }) });
      await refused(guard.assertAllowed("https://hook.example/"), "address_not_public", answer);
    }
  });

  it("looks up the same name with and without a trailing dot", async () => {
    const lookup = fakeLookup({ "hook.example": [[PUBLIC]], localhost: [["127.0.0.1"]] });
    const guard = guardWith({ lookup });
    await guard.assertAllowed("https://hook.example./");
    await refused(guard.assertAllowed("http://LOCALHOST./"), "address_not_public");
    expect(lookup.asked).toEqual(["hook.example", "localhost"]);
  });
});

describe("allowedNetworks", () => {
  it("allows exactly the listed networks", async () => {
    const guard = guardWith({ allowedNetworks: ["10.1.0.0/16", "fd00:1::/32"] });
    await guard.assertAllowed("http://10.1.255.255/");
    await guard.assertAllowed("http://[::ffff:10.1.2.3]/");
    await guard.assertAllowed("http://[fd00:1::9]/");
    for (const host of ["10.2.0.0", "10.0.255.255", "[fd00:2::9]", "[::10.1.2.3]", "127.0.0.1"]) {
      await refused(guard.assertAllowed(`http://${host}/`), "address_not_public", host);
    }
  });

  it("refuses an entry that is not a CIDR network", () => {
    for (const entry of ["", "10.0.0.1", "10/8", "10.0.0.0/33", "10.0.0.0/", "::/129", "localhost/8", "0x0a.0.0.0/8"]) {
      expect(() => createSsrfGuard({ allowedNetworks: [entry] }), entry).toThrow(TypeError);
    }
  });
});

describe("dispatcher", () => {
  let server: Server;
  let port: number;
  let connections = 0;
  let hosts: (string | undefined)[] = [];

  beforeAll(async () => {
    // It does not announce how long it keeps connections.
    server = createServer({ keepAliveTimeout: 0 }, (incoming, response) => {
      hosts.push(incoming.headers.host);
      response.end("reached");
    });
    server.on("connection", () => connections++);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    port = (server.address() as AddressInfo).port;
  });

  beforeEach(() => {
    connections = 0;
    hosts = [];
  });

  afterAll(async () => {
    await new Promise((resolve) => server.close(resolve));
  });

  async function reach(guard: SsrfGuard, host: string, protocol = "http"): Promise<string> {
    const { body } = await request(`${protocol}://${host}:${port}/`, { dispatcher: guard.dispatcher });
    return body.text();
  }

  it.each(["http", "https"])("opens no socket for %s to an address that is not public", async (protocol) => {
    const lookup = fakeLookup({ localhost: [["127.0.0.1"]], "hook.example": [[PUBLIC, "127.0.0.1"]] });
    const hosts = "127.0.0.1 [::1] [::ffff:127.0.0.1] 2130706433 localhost localhost. hook.example".split(" ");
    for (const host of hosts) await refused(reach(guardWith({ lookup }), host, protocol), "address_not_public", host);
    await refused(reach(guardWith({ lookup }), "nowhere.example", protocol), "unresolvable_host");
    expect(connections).toBe(0);
  });

  it("reaches every spelling of loopback that the operator allowed", async () => {
    const guard = guardWith({ lookup: fakeLookup({ localhost: [["127.0.0.1"]] }), allowedNetworks: LOOPBACK });
    for (const host of ["127.0.0.1", "[::ffff:127.0.0.1]", "2130706433", "localhost", "localhost."]) {
      expect(await reach(guard, host), host).toBe("reached");
    }
  });

  it("reaches localhost through the system's resolver, and only when allowed", async () => {
    await refused(guardWith({ lookup: undefined }).assertAllowed("http://localhost/"), "address_not_public");
    await refused(reach(guardWith({ lookup: undefined }), "localhost"), "address_not_public");
    expect(await reach(guardWith({ lookup: undefined, allowedNetworks: LOOPBACK }), "localhost")).toBe("reached");
  });

  it("connects to the address that it checked, with the URL's host name, after one lookup", async () => {
    const lookup = fakeLookup({ "hook.example": [["127.0.0.1"], [PUBLIC]] });
    expect(await reach(guardWith({ lookup, allowedNetworks: LOOPBACK }), "hook.example")).toBe("reached");
    expect(lookup.asked).toEqual(["hook.example"]);
    expect(hosts).toEqual([`hook.example:${port}`]);
  });

  it("refuses a name that was public a moment ago (DNS rebinding)", async () => {
    const lookup = fakeLookup({ "hook.example": [[PUBLIC], ["127.0.0.1"]] });
    const guard = guardWith({ lookup });
    await guard.assertAllowed(`http://hook.example:${port}/`);
    await refused(reach(guard, "hook.example"), "address_not_public");
    expect(lookup.asked).toEqual(["hook.example", "hook.example"]);
    expect(connections).toBe(0);
  });

  it("connects to the checked address also when the socket asks for a single one", async () => {
    const autoSelectFamily = getDefaultAutoSelectFamily();
    setDefaultAutoSelectFamily(false);
    try {
      const lookup = fakeLookup({ "good.example": [["127.0.0.1", "::1"]], "bad.example": [["127.0.0.1", "10.0.0.1"]] });
      const guard = guardWith({ lookup, allowedNetworks: LOOPBACK });
      expect(await reach(guard, "good.example")).toBe("reached");
      await refused(reach(guard, "bad.example"), "address_not_public");
    } finally {
      setDefaultAutoSelectFamily(autoSelectFamily);
    }
  });

  it("closes an idle connection before servers do that keep it for two seconds", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const guard = guardWith({ allowedNetworks: LOOPBACK });
      const isReused = async () => {
        const before = connections;
        await reach(guard, "127.0.0.1");
        await new Promise(setImmediate);
        return connections === before;
      };
      await isReused();
      vi.advanceTimersByTime(1_400);
      expect(await isReused()).toBe(true);
      vi.advanceTimersByTime(1_900);
      expect(await isReused()).toBe(false);
    } finally {
      vi.useRealTimers();
    }
  });

  it("serves the next request after a refusal", async () => {
    const lookup = fakeLookup({ "hook.example": [["10.0.0.1"], ["127.0.0.1"]] });
    const guard = guardWith({ lookup, allowedNetworks: LOOPBACK });
    await refused(reach(guard, "hook.example"), "address_not_public");
    expect(await reach(guard, "hook.example")).toBe("reached");
  });
});
