/**
 * A proxy to PostgreSQL for one process. It forwards everything until it is to cut a connection: before or after the next
 * COMMIT, or before a reply. It reads only as much of the protocol as that needs.
 */
import net from "node:net";
import type { Chance } from "./chance";

/** `before`: the COMMIT never reaches the database. `after`: it does, but its reply is lost. */
type Side = "before" | "after";

/** The bytes that a network partition holds up: of the process, of the database, or both. */
export type Direction = "requests" | "responses" | "both";
/**
 * `delivered`: the bytes arrive late, as TCP repeats them. `lost`: the connections break. `forgotten`: as if a firewall had dropped
 * their state, nothing ever gets through on them again, without an error; new ones work.
 */
export type Ending = "delivered" | "lost" | "forgotten";

export type Gate = {
  port: number;
  /** Connection string of the database through the gate. @param naming how it names the process: poolers pass on only a name. */
  url: (databaseUrl: string, process: string, naming?: "option" | "name") => string;
  /** Directs new connections to the database on this port. */
  pointTo: (port: number) => void;
  /** Cuts the connections of the next `count` transactions at COMMIT. @returns the number cut so far. */
  cutCommits: (side: Side, count: number) => () => number;
  /**
   * Cuts connections after their COMMIT, about every second one, until {@link heal}.
   * @param within only transactions that sent one of these statements; null: all.
   * @returns the number cut so far.
   */
  loseEverySecondCommit: (chance: Chance, within: readonly string[] | null) => () => number;
  /** Cuts the next `count` connections that send this statement, after the database ran it and before its reply. */
  loseResponsesTo: (marker: string, count: number) => () => number;
  /** Holds up the bytes of all connections, of later ones as well. Neither side notices: nothing is closed. */
  partition: (direction: Direction) => void;
  /** Ends a partition. @returns how many connections it held up. */
  rejoin: (ending: Ending) => number;
  /** Stops cutting and ends a partition. */
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
/** ReadyForQuery outside a transaction. */
const READY = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);
/** Time limit for a response of the database. */
const SWALLOW_MS = 3_000;

type Cut = { marker: Buffer; within: Buffer[] | null; side: Side; left: number; made: number; isDue: () => boolean };

/** The time until the database's keep-alive detects a forgotten connection. The process's own does not while bytes are in flight. */
const MISSED_AFTER_MS = 25_000;

/** A connection of the process, and its own to the database. */
type Link = { client: net.Socket; database: net.Socket; isForgotten: boolean };

const isHit = ({ marker, within, isDue }: Cut, chunk: Buffer, seen: ReadonlySet<readonly Buffer[]>): boolean =>
  chunk.includes(marker) && (within === null || seen.has(within)) && isDue();

/** Starts a gate. */
export async function startGate(firstPort: number): Promise<Gate> {
  let port = firstPort;
  let cuts: Cut[] = [];
  const links = new Set<Link>();
  const forgotten = new Set<net.Socket>();
  let held: Direction | null = null;
  const isHeld = (direction: Direction): boolean => held === direction || held === "both";
  /** A socket that is not read notices neither bytes nor an end, like one behind a partition. */
  const readAgain = ({ client, database, isForgotten }: Link) => {
    for (const [socket, direction] of [
      [client, "requests"],
      [database, "responses"],
    ] as const) {
      if (isForgotten || isHeld(direction)) socket.pause();
      else socket.resume();
    }
  };

  const server = net.createServer({ noDelay: true }, (client) => {
    const database = net.connect({ port, host: "127.0.0.1", noDelay: true });
    const end = () => {
      client.destroy();
      database.destroy();
    };
    let isSwallowing = false;
    /** Marked statements sent in the current transaction. */
    const seen = new Set<readonly Buffer[]>();
    const link = { client, database, isForgotten: false };
    links.add(link);
    for (const socket of [client, database]) socket.on("error", () => undefined);
    // Bytes that a partition held up still arrive.
    client.on("close", () => database.end());
    database.on("close", () => {
      links.delete(link);
      if (!link.isForgotten) client.destroy();
    });
    const pass = (from: net.Socket, to: net.Socket, chunk: Buffer) => {
      if (to.write(chunk)) return;
      from.pause();
      to.once("drain", () => readAgain(link));
    };
    client.on("data", (chunk: Buffer) => {
      for (const { within } of cuts) if (within?.some((part) => chunk.includes(part))) seen.add(within);
      const cut = isSwallowing ? undefined : cuts.find((each) => isHit(each, chunk, seen));
      if (chunk.includes(COMMIT)) seen.clear();
      if (cut) {
        cut.left -= 1;
        cut.made += 1;
        cuts = cuts.filter(({ left }) => left > 0);
        if (cut.side === "before") {
          // Data sent ahead of the COMMIT still arrives, as on a connection that breaks half-way.
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
    if (held) readAgain(link);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const own = (server.address() as net.AddressInfo).port;

  const order = (cut: Pick<Cut, "marker" | "side" | "left"> & Partial<Cut>) => {
    const made: Cut = { within: null, made: 0, isDue: () => true, ...cut };
    cuts.push(made);
    return () => made.made;
  };
  const forget = (link: Link) => {
    if (link.isForgotten) return;
    link.isForgotten = true;
    forgotten.add(link.client);
    readAgain(link);
    setTimeout(() => link.database.destroy(), MISSED_AFTER_MS).unref();
  };
  const rejoin = (ending: Ending): number => {
    held = null;
    for (const link of links) {
      const { client, database } = link;
      if (ending === "delivered") readAgain(link);
      else if (ending === "forgotten") forget(link);
      else for (const socket of [client, database]) socket.destroy();
    }
    return links.size;
  };
  return {
    port: own,
    url: (databaseUrl, process, naming = "option") => {
      const url = new URL(databaseUrl);
      url.hostname = "127.0.0.1";
      url.port = String(own);
      // Names the process to the database, for its history.
      if (naming === "name") url.searchParams.set("application_name", process);
      else url.searchParams.set("options", `-c prove.process=${process}`);
      return url.href.replaceAll("+", "%20");
    },
    pointTo: (next) => {
      port = next;
    },
    cutCommits: (side, count) => order({ marker: COMMIT, side, left: count }),
    loseEverySecondCommit: (chance, within) =>
      order({
        marker: COMMIT,
        within: within?.map((part) => Buffer.from(part)) ?? null,
        side: "after",
        left: Number.POSITIVE_INFINITY,
        isDue: () => chance() < 0.5,
      }),
    loseResponsesTo: (marker, count) => order({ marker: Buffer.from(marker), side: "after", left: count }),
    partition: (direction) => {
      held = direction;
      for (const link of links) readAgain(link);
    },
    rejoin,
    heal: () => {
      cuts = [];
      if (held) rejoin("delivered");
    },
    hangUp: () => {
      for (const { client } of links) client.destroy();
      return links.size;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const { client, database } of links) {
          client.destroy();
          database.destroy();
        }
        for (const client of forgotten) client.destroy();
      }),
  };
}
