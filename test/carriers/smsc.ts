/** An emulated short message service centre: SMPP 3.4 on loopback, on the server side of the package `smpp`. */
import type { AddressInfo } from "node:net";
import type { Behavior, Carrier, ReceiptOptions, Reported, TakenMessage } from "./carrier";
import {
  inboundFields,
  numberField,
  type Pdu,
  partOf,
  receiptFields,
  type Session,
  STATUS,
  smpp,
  statusOfFault,
  textField,
} from "./smsc-pdu";

const NOT_TAKEN: Partial<Record<Behavior["kind"], number>> = {
  refuse: STATUS.destination,
  unavailable: STATUS.system,
  throttle: STATUS.throttled,
  account: STATUS.sourceAddress,
};
const BINDS = new Set(["bind_transceiver", "bind_transmitter", "bind_receiver"]);
const SYSTEM_ID = "loopback";
const PASSWORD = "s3cr3t-1";
const VERSION_3_4 = 0x34;
const HOUR_MS = 3_600_000;
const ANSWER_WITHIN_MS = 10_000;
const FIRST_ID = 0x10000000;
const GARBAGE = Buffer.alloc(16, 0xff);

/** A message of which some parts may still be missing; texts and ids by sequence number. */
type Assembly = { behavior: Behavior; seen: Set<number>; texts: Map<number, string>; ids: Map<number, string> };

const inOrder = (values: Map<number, string>): string[] =>
  [...values].sort(([left], [right]) => left - right).map(([, value]) => value);

const withPlus = (number: string): string => (/^\d{7,}$/.test(number) ? `+${number}` : number);

/**
 * Starts a centre. It delivers over the newest bind that may receive. A fault that takes the message applies to the part that
 * completes it; one that does not take it applies to every part. Receipts contain the parameters and the text, but only the text
 * for every second part.
 */
export async function startSmsc(): Promise<Carrier & { dropConnections(): void; sessions(): number }> {
  const plans = new Map<string, Behavior[]>();
  const requests = new Map<string, number>();
  const assemblies = new Map<string, Assembly>();
  const taken: TakenMessage[] = [];
  const withoutReceipt = new WeakSet<TakenMessage>();
  const open = new Set<Session>();
  /** Sessions by the command that bound them. */
  const bound = new Map<Session, string>();
  /** Callbacks that wait for a deliver_sm_resp, called when their session is gone. */
  const waiting = new Map<Session, Set<(reason: Error) => void>>();
  const timers = new Set<NodeJS.Timeout>();
  // Ids must differ between two centres, and after a restart.
  let lastId = FIRST_ID + Math.floor(Math.random() * 0x60000000);
  let lastReceipt: object | undefined;
  let otherwise: (to: string) => Behavior = () => ({ kind: "accept" });

  function assemblyOf(key: string, to: string, sequence: number): Assembly {
    const standing = assemblies.get(key);
    // A part that was already seen begins another try with the same reference.
    if (standing && !standing.seen.has(sequence)) return standing;
    requests.set(to, (requests.get(to) ?? 0) + 1);
    const behavior = plans.get(to)?.shift() ?? otherwise(to);
    const made: Assembly = { behavior, seen: new Set(), texts: new Map(), ids: new Map() };
    assemblies.set(key, made);
    return made;
  }

  /** Handles a submit_sm. It calls `answer` at most once. */
  function submit(session: Session, pdu: Pdu, answer: (status: number, id?: string) => void): void {
    const part = partOf(pdu);
    const mayTransmit = bound.has(session) && bound.get(session) !== "bind_receiver";
    const fault = mayTransmit ? statusOfFault(pdu, part) : STATUS.notBound;
    if (fault !== 0) {
      answer(fault);
      return;
    }
    const to = `+${textField(pdu, "destination_addr")}`;
    const from = textField(pdu, "source_addr");
    const key = `${from} ${to} ${part.reference ?? ""}`;
    const assembly = assemblyOf(key, to, part.sequence);
    assembly.seen.add(part.sequence);
    const isComplete = assembly.seen.size === part.total;
    if (isComplete) assemblies.delete(key);

    const { behavior, texts, ids } = assembly;
    const refusal = NOT_TAKEN[behavior.kind];
    if (refusal !== undefined) answer(refusal);
    if (behavior.kind === "reset-unread") cut(session);
    if (refusal !== undefined || behavior.kind === "reset-unread" || behavior.kind === "hang-unread") return;

    lastId += 1;
    const id = lastId.toString(16);
    texts.set(part.sequence, part.text);
    ids.set(part.sequence, id);
    if (!isComplete) {
      answer(0, id);
      return;
    }
    const message: TakenMessage = {
      to,
      from: withPlus(from),
      text: inOrder(texts).join(""),
      parts: part.total,
      ids: inOrder(ids).slice(0, behavior.kind === "partial" ? -1 : undefined),
      reference: null,
      receiptUrl: null,
      takenAt: new Date(),
    };
    taken.push(message);
    if ((numberField(pdu, "registered_delivery") & 0x03) !== 1) withoutReceipt.add(message);
    if (behavior.kind === "partial") answer(STATUS.system);
    else if (behavior.kind === "reset") cut(session);
    else if (behavior.kind === "malformed") session.socket.write(GARBAGE);
    else if (behavior.kind === "slow") timers.add(setTimeout(answer, behavior.ms, 0, id));
    else if (behavior.kind === "accept") answer(0, id);
  }

  function bind(session: Session, pdu: Pdu): void {
    const refusals: [boolean, number][] = [
      [bound.has(session), STATUS.alreadyBound],
      [pdu.interface_version !== VERSION_3_4, STATUS.bindFailed],
      [pdu.system_id !== SYSTEM_ID, STATUS.systemId],
      [pdu.password !== PASSWORD, STATUS.password],
    ];
    const refusal = refusals.find(([applies]) => applies)?.[1];
    if (refusal === undefined) bound.set(session, pdu.command);
    const accepted = { system_id: "centre", sc_interface_version: VERSION_3_4 };
    session.send(pdu.response(refusal === undefined ? accepted : { command_status: refusal }));
  }

  function drop(session: Session): void {
    open.delete(session);
    bound.delete(session);
    for (const reject of waiting.get(session) ?? []) reject(new Error("The session was closed before it answered."));
    waiting.delete(session);
  }

  function cut(session: Session): void {
    drop(session);
    session.socket.resetAndDestroy();
  }

  const server = smpp.createServer((session) => {
    open.add(session);
    // Without a listener an error would end the process. After an error the package stops reading the session.
    session.on("error", () => session.destroy());
    session.on("close", () => drop(session));
    session.on("pdu", (pdu) => {
      // PDUs pipelined behind a part that cut the connection count as never read.
      if (!open.has(session) || pdu.isResponse()) return;
      if (BINDS.has(pdu.command)) bind(session, pdu);
      else if (pdu.command === "submit_sm") {
        submit(session, pdu, (status, id) => {
          session.send(pdu.response(status === 0 ? { message_id: id } : { command_status: status }));
        });
      } else if (pdu.command === "enquire_link") session.send(pdu.response());
      else if (pdu.command === "unbind") {
        bound.delete(session);
        session.send(pdu.response());
        session.socket.end();
      } else session.send(pdu.response({ command_status: STATUS.unknownCommand }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));

  function deliver(fields: object): Promise<number> {
    const session = [...bound].findLast(([, command]) => command !== "bind_transmitter")?.[0];
    if (!session) return Promise.reject(new Error("No session is bound."));
    const rejects = waiting.get(session) ?? new Set();
    waiting.set(session, rejects);
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error("No deliver_sm_resp came.")), ANSWER_WITHIN_MS);
      const gone = (reason: Error): void => {
        clearTimeout(late);
        reject(reason);
      };
      rejects.add(gone);
      session.deliver_sm(fields, (answer) => {
        clearTimeout(late);
        rejects.delete(gone);
        resolve(numberField(answer, "command_status"));
      });
    });
  }

  async function report(message: TakenMessage, status: Reported, _: string, options: ReceiptOptions = {}) {
    if (withoutReceipt.has(message)) throw new Error("The submit_sm asked for no receipt.");
    const statuses: number[] = [];
    for (const [index, id] of message.ids.entries()) {
      if (options.part !== undefined && options.part !== index) continue;
      const reported = options.fault === "forged" ? (FIRST_ID - 1 - index).toString(16) : id;
      const doneAt = new Date(Date.now() - (options.fault === "stale" ? HOUR_MS : 0));
      const fresh = receiptFields(message, reported, status, doneAt, index % 2 === 0);
      lastReceipt = (options.fault === "replayed" && lastReceipt) || fresh;
      statuses.push(await deliver(lastReceipt));
    }
    return statuses;
  }

  return {
    environment: {
      SMPP_URL: `smpp://127.0.0.1:${(server.address() as AddressInfo).port}`,
      SMPP_SYSTEM_ID: SYSTEM_ID,
      SMPP_PASSWORD: PASSWORD,
    },
    plan: (to, ...behaviors) => {
      plans.set(to, [...(plans.get(to) ?? []), ...behaviors]);
    },
    otherwise: (choose) => {
      otherwise = choose;
    },
    taken,
    requestsFor: (to) => requests.get(to) ?? 0,
    report,
    inbound: (message) => deliver(inboundFields(message)),
    dropConnections: () => {
      for (const session of [...open]) cut(session);
    },
    sessions: () => bound.size,
    close: async () => {
      for (const timer of timers) clearTimeout(timer);
      for (const session of [...open]) session.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
