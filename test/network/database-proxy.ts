/**
 * A proxy to PostgreSQL that can cut a connection at an exact place, just before or just after the COMMIT of one transaction. It can
 * also refuse connections for a while, like a restarting database, or fall silent. It reads PostgreSQL's protocol, so the product
 * needs no test hooks.
 */
import net from "node:net";

/**
 * `withhold`: the COMMIT never reaches the database. `swallow`: it does, but its reply is lost. `disown`: its reply is lost on the
 * way to a pooler, which reports that it has lost the database.
 */
export type Cut = "withhold" | "swallow" | "disown";

export type DatabaseProxy = {
  /** Connection string of the database through the proxy. */
  url: string;
  /** Cuts the connection whose transaction mentions `marker` at its COMMIT; resolves once that has happened. */
  cutCommitOf: (marker: string, cut: Cut) => Promise<void>;
  /** Ends every connection, as a restart of the database would. New ones are accepted. */
  hangUp: () => void;
  /** Ends every connection and refuses new ones, as a stopped database would. */
  goAway: () => Promise<void>;
  /**
   * Stops passing data in either direction but keeps its connections, like a host that has fallen silent. This includes new
   * connections, unless it is `sparing` them. Resolves when it has received something since.
   */
  fallSilent: (sparing?: "new") => Promise<void>;
  /** Accepts connections again, at the same address. */
  comeBack: () => Promise<void>;
  close: () => Promise<void>;
};

type Plan = { marker: Buffer; cut: Cut; done: () => void };

const COMMIT = Buffer.from("COMMIT\0");
const SIMPLE_QUERY = "Q".charCodeAt(0);
const LENGTH_BYTES = 4;

/** Splits `held` into complete client messages; the first of a connection has no type before its length. */
function takeMessages(held: Buffer, isFirst: boolean): { messages: Buffer[]; rest: Buffer } {
  const messages: Buffer[] = [];
  let rest = held;
  for (let typeBytes = isFirst ? 0 : 1; rest.length >= typeBytes + LENGTH_BYTES; typeBytes = 1) {
    const size = typeBytes + rest.readUInt32BE(typeBytes);
    if (rest.length < size) break;
    messages.push(rest.subarray(0, size));
    rest = rest.subarray(size);
  }
  return { messages, rest };
}

/** PgBouncer's last message to a client whose database connection was lost: an ErrorResponse. */
const LOST_SERVER = ((fields: string) => {
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(LENGTH_BYTES + fields.length);
  return Buffer.concat([Buffer.from("E"), length, Buffer.from(fields)]);
})("SFATAL\0VFATAL\0C08P01\0Mserver conn crashed?\0\0");

const isCommit = (message: Buffer): boolean => message[0] === SIMPLE_QUERY && message.includes(COMMIT);

/** Starts a proxy in front of the database. */
export async function startDatabaseProxy(databaseUrl: string): Promise<DatabaseProxy> {
  const target = new URL(databaseUrl);
  const sockets = new Set<net.Socket>();
  let plan: Plan | null = null;
  let isSilent = false;
  /** Clients that receive nothing any more. */
  const deaf = new WeakSet<net.Socket>();
  const clients = new Set<net.Socket>();
  let askInSilence = () => {};

  // A silent host does not even close a connection that its caller has closed.
  const server = net.createServer({ allowHalfOpen: true }, (client) => {
    const database = net.connect(Number(target.port), target.hostname);
    for (const socket of [client, database]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => sockets.delete(socket));
    }
    clients.add(client);
    client.on("close", () => clients.delete(client));
    if (isSilent) deaf.add(client);
    let held: Buffer = Buffer.alloc(0);
    let isFirst = true;
    let isMarked = false;
    let cut: Cut | null = null;
    client.on("data", (chunk: Buffer) => {
      if (deaf.has(client)) return askInSilence();
      const { messages, rest } = takeMessages(Buffer.concat([held, chunk]), isFirst);
      held = rest;
      for (const message of messages) {
        isFirst = false;
        if (plan && message.includes(plan.marker)) isMarked = true;
        if (plan && isMarked && isCommit(message)) {
          cut = plan.cut;
          const { done } = plan;
          plan = null;
          if (cut === "withhold") done();
          else database.write(message, done);
        } else if (cut === null) database.write(message);
      }
    });
    database.on("data", (chunk: Buffer) => {
      if (deaf.has(client)) return;
      if (cut === null) client.write(chunk);
      else if (cut === "disown" && chunk.includes(COMMIT)) client.end(LOST_SERVER);
    });
    client.on("end", () => !deaf.has(client) && client.end());
    client.on("close", () => database.destroy());
    // Once cut, the caller receives nothing more, not even the end of the database's connection.
    database.on("close", () => cut === null && !deaf.has(client) && client.destroy());
  });
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  await listen(0);
  const { port } = server.address() as net.AddressInfo;

  const hangUp = () => {
    for (const socket of sockets) socket.destroy();
  };
  const url = new URL(databaseUrl);
  url.hostname = "127.0.0.1";
  url.port = String(port);
  const goAway = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      hangUp();
    });
  return {
    url: url.href,
    cutCommitOf: (marker, cut) =>
      new Promise((done) => {
        plan = { marker: Buffer.from(marker), cut, done };
      }),
    hangUp,
    goAway,
    fallSilent: (sparing) => {
      isSilent = sparing === undefined;
      for (const client of clients) deaf.add(client);
      return new Promise((resolve) => {
        askInSilence = resolve;
      });
    },
    comeBack: () => listen(port),
    close: goAway,
  };
}
