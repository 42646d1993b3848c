/**
 * Separate processes of the workload `kannel`. `centre`: a message centre that takes every message at once and reports it as
 * delivered at once, again while the bind is too busy. `customer`: the customer's server that receives the callbacks. Both respond
 * to a message over IPC with their counts. `bare`: the least that a service on Node.js does for a send, as a limit.
 */
import { createServer } from "node:http";
import type { AddressInfo, Server } from "node:net";
import { newId } from "@/server/core/ids";
import { STATUS_QUEUE_FULL } from "@/server/providers/smpp/status";
import { type Pdu, type Session, smpp } from "@/test/carriers/smsc-pdu";

/** `distinct`: messages taken, or messages whose callback was received; `all`: with repeats. */
export type PeerCount = { distinct: number; all: number };

const BINDS = new Set(["bind_transceiver", "bind_transmitter", "bind_receiver"]);
const VERSION_3_4 = 0x34;
const ESM_RECEIPT = 0x04;
const STATE_DELIVERED = 2;

/** Pause before repeating a receipt for which the bind was too busy. A real centre waits for minutes. */
const REPEAT_AFTER_MS = 100;

const digits = (value: number): string => String(value).padStart(2, "0");

/** A date as receipts write it: `YYMMDDhhmm`. */
const minuteOf = (date: Date): string =>
  [date.getFullYear() % 100, date.getMonth() + 1, date.getDate(), date.getHours(), date.getMinutes()]
    .map(digits)
    .join("");

/** The receipt for a submit_sm that was taken as `id`. */
function receiptOf(submit: Pdu, id: string): object {
  const at = minuteOf(new Date());
  return {
    source_addr: submit.destination_addr,
    source_addr_ton: submit.dest_addr_ton,
    source_addr_npi: submit.dest_addr_npi,
    destination_addr: submit.source_addr,
    dest_addr_ton: submit.source_addr_ton,
    dest_addr_npi: submit.source_addr_npi,
    esm_class: ESM_RECEIPT,
    short_message: `id:${id} sub:001 dlvrd:001 submit date:${at} done date:${at} stat:DELIVRD err:000 text:`,
    receipted_message_id: id,
    message_state: STATE_DELIVERED,
  };
}

/** Delivers a receipt, again while the bind is too busy for it. */
function deliver(session: Session, receipt: object): void {
  session.deliver_sm(receipt, ({ command_status: status }) => {
    if (status === STATUS_QUEUE_FULL) setTimeout(() => deliver(session, receipt), REPEAT_AFTER_MS);
  });
}

function startCentre(): { server: Server; count: () => PeerCount } {
  let taken = 0;
  const take = (session: Session, pdu: Pdu): void => {
    if (BINDS.has(pdu.command)) {
      session.send(pdu.response({ system_id: "centre", sc_interface_version: VERSION_3_4 }));
    } else if (pdu.command === "submit_sm") {
      taken += 1;
      const id = String(taken);
      session.send(pdu.response({ message_id: id }));
      deliver(session, receiptOf(pdu, id));
    } else if (!pdu.isResponse()) session.send(pdu.response());
  };
  const server = smpp.createServer((session) => {
    session.on("error", () => session.destroy());
    session.on("pdu", (pdu) => take(session, pdu));
  });
  return { server, count: () => ({ distinct: taken, all: taken }) };
}

function startCustomer(): { server: Server; count: () => PeerCount } {
  const seen = new Set<string>();
  let all = 0;
  const server = createServer((request, response) => {
    request.resume().once("end", () => {
      all += 1;
      // Kannel gives callbacks no id: the path names the message.
      seen.add(String(request.headers["webhook-id"] ?? request.url));
      response.writeHead(200).end();
    });
  });
  server.keepAliveTimeout = 60_000;
  return { server, count: () => ({ distinct: seen.size, all }) };
}

/** An HTTP server that parses each send and responds with it as a message. It checks, stores and bills nothing. */
function startBare(): { server: Server; count: () => PeerCount } {
  let taken = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.once("end", () => {
      taken += 1;
      const send = JSON.parse(Buffer.concat(chunks).toString()) as object;
      const at = new Date().toISOString();
      const message = { id: newId("message"), status: "pending", ...send, created_at: at, updated_at: at };
      const body = JSON.stringify({ data: message });
      response
        .writeHead(201, { "content-type": "application/json", "content-length": Buffer.byteLength(body) })
        .end(body);
    });
  });
  server.keepAliveTimeout = 60_000;
  return { server, count: () => ({ distinct: taken, all: taken }) };
}

const ROLES: Record<string, () => { server: Server; count: () => PeerCount }> = {
  centre: startCentre,
  customer: startCustomer,
  bare: startBare,
};
const start = ROLES[process.argv[2] ?? ""];
if (!start) throw new Error(`Unknown role: ${process.argv[2]}`);
const { server, count } = start();
server.listen(0, "127.0.0.1", () => {
  process.on("message", () => process.send?.(count()));
  process.send?.((server.address() as AddressInfo).port);
});
process.on("disconnect", () => process.exit(0));
process.on("SIGINT", () => undefined);
