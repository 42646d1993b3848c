/**
 * A way to PostgreSQL for one process alone. It passes everything on, until it is told to cut: before or after the next
 * COMMIT, or before an answer comes back. It reads only so much of the protocol as that takes.
 */
import net from "node:net";
import type { Chance } from "./chance";

/** `before`: the COMMIT never reaches the database. `after`: it does, and no answer of the database comes back. */
type Side = "before" | "after";

export type Gate = {
  /** Connection string of the database through the gate. */
  url: (databaseUrl: string, process: string) => string;
  /** Sends new connections to the database on this port. */
  pointTo: (port: number) => void;
  /** Cuts the connections of the next `count` transactions at their COMMIT. @returns how many were cut so far. */
  cutCommits: (side: Side, count: number) => () => number;
  /** Cuts connections after their COMMIT, about every second one, until {@link heal}. @returns how many so far. */
  loseEverySecondCommit: (chance: Chance) => () => number;
  /** Cuts the next `count` connections on which this is sent, once the database has done it and before it can say so. */
  loseAnswersTo: (marker: string, count: number) => () => number;
  /** Cuts nothing more. */
  heal: () => void;
  /** Ends every connection. @returns how many there were. */
  hangUp: () => number;
  close: () => Promise<void>;
};

const asQuery = (text: string): Buffer => {
  const body = Buffer.from(`${text}\0`);
  const head = Buffer.alloc(5);
  head.write("Q");
  head.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
};

const COMMIT = asQuery("COMMIT");
/** ReadyForQuery, outside of a transaction. */
const READY = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);
/** A database that does not answer within this time is not waited for. */
const SWALLOW_MS = 3_000;

type Cut = { marker: Buffer; side: Side; left: number; made: number; isDue: () => boolean };

/** Starts a gate. */
export async function startGate(firstPort: number): Promise<Gate> {
  let port = firstPort;
  let cuts: Cut[] = [];
  const sockets = new Set<net.Socket>();

  const server = net.createServer({ noDelay: true }, (client) => {
    const database = net.connect({ port, host: "127.0.0.1", noDelay: true });
    const end = () => {
      client.destroy();
      database.destroy();
    };
    let isSwallowing = false;
    sockets.add(client);
    for (const socket of [client, database]) socket.on("error", () => undefined).on("close", end);
    client.on("close", () => sockets.delete(client));
    const pass = (from: net.Socket, to: net.Socket, chunk: Buffer) => {
      if (to.write(chunk)) return;
      from.pause();
      to.once("drain", () => from.resume());
    };
    client.on("data", (chunk: Buffer) => {
      const cut = isSwallowing ? undefined : cuts.find(({ marker, isDue }) => chunk.includes(marker) && isDue());
      if (cut) {
        cut.left -= 1;
        cut.made += 1;
        cuts = cuts.filter(({ left }) => left > 0);
        if (cut.side === "before") {
          // What was sent ahead of it arrives, as on a line that breaks in the middle.
          database.end(chunk.subarray(0, chunk.indexOf(cut.marker)));
          client.destroy();
          return;
        }
        isSwallowing = true;
        setTimeout(end, SWALLOW_MS).unref();
      }
      pass(client, database, chunk);
    });
    database.on("data", (chunk: Buffer) => {
      if (!isSwallowing) pass(database, client, chunk);
      else if (chunk.includes(READY)) end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const own = (server.address() as net.AddressInfo).port;

  const order = (marker: Buffer, side: Side, count: number, isDue = () => true) => {
    const cut: Cut = { marker, side, left: count, made: 0, isDue };
    cuts.push(cut);
    return () => cut.made;
  };
  return {
    url: (databaseUrl, process) => {
      const url = new URL(databaseUrl);
      url.hostname = "127.0.0.1";
      url.port = String(own);
      // Tells the database which process is at work, for the history that it keeps for us.
      url.searchParams.set("options", `-c prove.process=${process}`);
      return url.href.replaceAll("+", "%20");
    },
    pointTo: (next) => {
      port = next;
    },
    cutCommits: (side, count) => order(COMMIT, side, count),
    loseEverySecondCommit: (chance) => order(COMMIT, "after", Number.POSITIVE_INFINITY, () => chance() < 0.5),
    loseAnswersTo: (marker, count) => order(Buffer.from(marker), "after", count),
    heal: () => {
      cuts = [];
    },
    hangUp: () => {
      const count = sockets.size;
      for (const socket of sockets) socket.destroy();
      return count;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
