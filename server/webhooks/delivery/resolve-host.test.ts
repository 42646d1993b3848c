import { createSocket, type Socket } from "node:dgram";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { freePort } from "@/scripts/free-port";
import { stallFor } from "@/test/network/stalls";
import { createLookup, isResolverSilent } from "./resolve-host";
import type { LookupAll } from "./ssrf-guard";

const TYPE_A = 1;
const QUESTION_AT = 12;
const NAME_ERROR = 3;

type Answer = { a?: string[]; code?: number };

const sockets: Socket[] = [];
const folder = mkdtempSync(path.join(tmpdir(), "hosts-"));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.close();
});

/** The name and type of a DNS question. */
function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = QUESTION_AT;
  for (let size = query[at] ?? 0; size > 0; size = query[at] ?? 0) {
    labels.push(query.toString("latin1", at + 1, at + 1 + size));
    at += 1 + size;
  }
  return { name: labels.join("."), type: query.readUInt16BE(at + 1), end: at + 5 };
}

/** Starts a name server on loopback, which is silent where `respond` returns null. @returns its address. */
async function serveNames(respond: (name: string) => Answer | null): Promise<string> {
  const socket = createSocket("udp4");
  sockets.push(socket);
  socket.on("message", (query, { port, address }) => {
    const { name, type, end } = readQuestion(query);
    const answer = respond(name);
    if (answer === null) return;
    const addresses = type === TYPE_A ? (answer.a ?? []) : [];
    const header = Buffer.alloc(QUESTION_AT);
    query.copy(header, 0, 0, 2);
    header.writeUInt16BE(0x8180 | (answer.code ?? 0), 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(addresses.length, 6);
    const records = addresses.map((ip) =>
      Buffer.from([0xc0, QUESTION_AT, 0, TYPE_A, 0, 1, 0, 0, 0, 60, 0, 4, ...ip.split(".").map(Number)]),
    );
    socket.send(Buffer.concat([header, query.subarray(QUESTION_AT, end), ...records]), port, address);
  });
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
  return `127.0.0.1:${socket.address().port}`;
}

const failureOf = (run: Promise<unknown>): Promise<unknown> =>
  run.then(
    () => null,
    (thrown: unknown) => thrown,
  );

describe("a lookup", () => {
  test("returns every address of a name, in any case of letters", async () => {
    const asked: string[] = [];
    const server = await serveNames((name) => {
      asked.push(name);
      return { a: ["198.51.100.1", "198.51.100.2"] };
    });
    expect(await createLookup({ servers: [server] })("Hook.Example")).toEqual([
      { address: "198.51.100.1", family: 4 },
      { address: "198.51.100.2", family: 4 },
    ]);
    expect(asked).toEqual(["hook.example", "hook.example"]);
  });

  test("rejects a name that does not exist", async () => {
    const server = await serveNames(() => ({ code: NAME_ERROR }));
    const thrown = await failureOf(createLookup({ servers: [server] })("nowhere.example"));
    expect(thrown).toMatchObject({ code: "ENOTFOUND" });
    expect(isResolverSilent(thrown)).toBe(false);
  });

  test("makes no query for names that can never exist", async () => {
    const asked: string[] = [];
    const server = await serveNames((name) => {
      asked.push(name);
      return { a: ["198.51.100.1"] };
    });
    const thrown = await failureOf(createLookup({ servers: [server] })("Nowhere.INVALID"));
    expect(thrown).toMatchObject({ code: "ENOTFOUND" });
    expect(asked).toEqual([]);
  });

  test("makes no DNS query for names in the hosts file and names of this machine", async () => {
    const asked: string[] = [];
    const server = await serveNames((name) => {
      asked.push(name);
      return { a: ["198.51.100.1"] };
    });
    const hostsFile = path.join(folder, "hosts");
    writeFileSync(hostsFile, "# own\n127.0.0.1 localhost\n10.0.0.5\tdb  shop.INTERNAL.example # comment.example\n");
    const known: string[] = [];
    const system: LookupAll = async (name) => {
      known.push(name);
      return [{ address: "127.0.0.1", family: 4 }];
    };
    const lookup = createLookup({ servers: [server], hostsFile, system });
    const local = ["localhost", "shop.localhost", "db", "nas", "shop.internal.example"];
    for (const name of local) expect(await lookup(name)).toEqual([{ address: "127.0.0.1", family: 4 }]);
    expect(known).toEqual(local);
    expect(asked).toEqual([]);
    await lookup("comment.example");
    expect(new Set(asked)).toEqual(new Set(["comment.example"]));
    expect(known).toEqual(local);
  });
});

describe("names with silent name servers", () => {
  test("do not delay other names, and fail within the limit", async () => {
    const server = await serveNames((name) => (name.includes("silent") ? null : { a: ["198.51.100.1"] }));
    const lookup = createLookup({ servers: [server], limitMs: 2_000 });
    const silent = Array.from({ length: 50 }, (_, at) => failureOf(lookup(`silent-${at}.example`)));
    const answered = lookup("hook.example");
    expect(await Promise.race([answered, ...silent])).toEqual(await answered);
    const failures = await Promise.all(silent);
    // The name server responds to other names, so this failure is the name's own.
    expect(failures.map(isResolverSilent)).toEqual(failures.map(() => false));
    expect(failures.every((failure) => failure instanceof Error)).toBe(true);
  });

  test("are not at fault when the machine's name servers do not respond at all", async () => {
    const silent = await serveNames(() => null);
    expect(isResolverSilent(await failureOf(createLookup({ servers: [silent], limitMs: 200 })("hook.example")))).toBe(
      true,
    );
    const gone = `127.0.0.1:${await freePort()}`;
    expect(isResolverSilent(await failureOf(createLookup({ servers: [gone] })("hook.example")))).toBe(true);
  });
});

test("a name is looked up again when this process stalled while the response arrived", async () => {
  let hasStalled = false;
  const server = await serveNames((name) => {
    if (name !== "" && !hasStalled) {
      hasStalled = true;
      // The responses are already sent by then.
      void stallFor(3_000);
    }
    return { a: ["198.51.100.1"] };
  });
  const lookup = createLookup({ servers: [server], limitMs: 1_000 });
  expect(await lookup("hook.example")).toEqual([{ address: "198.51.100.1", family: 4 }]);
  expect(hasStalled).toBe(true);
});
