/**
 * One line to a message centre, from the call until it is hung up: a connection, and the deliveries that come over it.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { startDeadline } from "../../core/deadline";
import { type Connection, openConnection, type Target } from "./connection";
import { createDeliveries, type Deliveries } from "./deliveries";
import { STATUS_UNKNOWN_COMMAND } from "./status";
import { type Pdu, STATUS_OK } from "./wire";

/** `gone` is aborted, with the reason, when the line is being drained or has ended, so that it gets nothing new. */
export type Line = { connection: Connection; deliveries: Deliveries; gone: AbortController };

export type LineOptions = {
  target: Target;
  /** Takes a delivery. It is acknowledged when this resolves, and repeated by the centre when it rejects. */
  deliver: (pdu: Pdu) => Promise<void>;
  /** Called when the centre unbinds. */
  onUnbound: (line: Line) => void;
};

const POLL_MS = 20;
/** Requests with which a centre delivers receipts and messages from handsets; SMPP 3.4 allows both (4.6, 4.7). */
const DELIVERIES = new Set(["deliver_sm", "data_sm"]);
/** Requests of the centre that need no response. */
const WITHOUT_RESPONSE = new Set(["alert_notification", "outbind"]);

/** Resolves when a signal is aborted. */
export const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });

/** Connects to the centre. The line is not bound yet. */
export function openLine({ target, deliver, onUnbound }: LineOptions): Line {
  const connection = openConnection(target, (pdu) => serve(pdu, line, onUnbound));
  const deliveries = createDeliveries(deliver, (pdu, status) => connection.respond(pdu, status));
  const line = { connection, deliveries, gone: new AbortController() };
  connection.over.addEventListener("abort", () => line.gone.abort(connection.over.reason), { once: true });
  return line;
}

/** Serves a request of the centre. */
function serve(pdu: Pdu, line: Line, onUnbound: LineOptions["onUnbound"]): void {
  const { connection, deliveries } = line;
  if (DELIVERIES.has(pdu.command)) void deliveries.take(pdu);
  else if (pdu.command === "enquire_link") connection.respond(pdu, STATUS_OK);
  else if (pdu.command === "unbind") {
    connection.respond(pdu, STATUS_OK);
    onUnbound(line);
  } else if (!WITHOUT_RESPONSE.has(pdu.command)) connection.respond(pdu, STATUS_UNKNOWN_COMMAND, "generic_nack");
}

/**
 * Sends enquire_link at intervals until the line is gone, and hangs up when one gets no response. Times in
 * milliseconds.
 */
export async function watchLine(
  { connection, gone: { signal } }: Line,
  times: { enquireLinkMs: number; enquireTimeoutMs: number },
): Promise<void> {
  while (!signal.aborted) {
    await sleep(times.enquireLinkMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    const result = await connection.request("enquire_link", {}, times.enquireTimeoutMs);
    if (result.kind === "timeout" && !signal.aborted) connection.destroy("no response to enquire_link");
  }
}

/**
 * Waits for outstanding responses and deliveries, at most `drainMs`, and hangs up.
 * @param unbindTimeoutMs time for the response to our unbind; null: the centre has ended the bind, so none is sent.
 */
export async function drainLine(
  { connection, deliveries }: Line,
  reason: string,
  drainMs: number,
  unbindTimeoutMs: number | null,
): Promise<void> {
  let isLate = false;
  const deadline = startDeadline(drainMs, () => {
    isLate = true;
  });
  const whileBusy = async (isBusy: () => boolean) => {
    while (isBusy() && !isLate && !connection.over.aborted) await sleep(POLL_MS);
  };
  await whileBusy(() => connection.outstanding() > 0);
  // The centre repeats later deliveries on another bind; after the unbind they could not be acknowledged.
  deliveries.stop();
  await whileBusy(() => deliveries.underWay() > 0);
  deadline.clear();
  if (unbindTimeoutMs !== null) await connection.request("unbind", {}, unbindTimeoutMs);
  connection.end(reason);
  await aborted(connection.over);
}
