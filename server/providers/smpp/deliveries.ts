/** Deliveries of a centre on one connection. All are read; beyond a limit they are refused, so that the centre repeats them later. */
import { errorFields, log } from "../../core/log";
import { STATUS_QUEUE_FULL, STATUS_TEMPORARY } from "./status";
import { type Pdu, STATUS_OK } from "./wire";

/**
 * The most concurrent deliveries. The centre repeats the others later, often by minutes, so the limit is the number of receipts that
 * arrive at a high rate while one transaction stores the previous ones; they take some hundred kilobytes.
 */
const DELIVERIES_MAX = 1_000;

export type Deliveries = {
  /** Takes a delivery, and responds to it. */
  take: (pdu: Pdu) => Promise<void>;
  /** Number of deliveries without a response yet. */
  underWay: () => number;
  /** Refuses further deliveries; those under way still get their response. */
  stop: () => void;
};

/**
 * Takes the deliveries of one connection.
 * @param deliver takes one; when it rejects, the response asks the centre to repeat it.
 * @param respond responds to one with a command_status.
 */
export function createDeliveries(
  deliver: (pdu: Pdu) => Promise<void>,
  respond: (pdu: Pdu, status: number) => void,
): Deliveries {
  let underWay = 0;
  let isStopped = false;
  let isLogged = false;

  async function statusOf(pdu: Pdu): Promise<number> {
    try {
      await deliver(pdu);
      return STATUS_OK;
    } catch (thrown) {
      log("warn", "smpp.delivery_not_taken", errorFields(thrown));
      return STATUS_TEMPORARY;
    }
  }

  return {
    take: async (pdu) => {
      if (isStopped || underWay >= DELIVERIES_MAX) {
        // Logged once per flood, not for each PDU.
        if (!isStopped && !isLogged) log("warn", "smpp.deliveries_put_off", { under_way: underWay });
        isLogged = true;
        respond(pdu, STATUS_QUEUE_FULL);
        return;
      }
      underWay += 1;
      const status = await statusOf(pdu);
      underWay -= 1;
      if (underWay < DELIVERIES_MAX / 2) isLogged = false;
      respond(pdu, status);
    },
    underWay: () => underWay,
    stop: () => {
      isStopped = true;
    },
  };
}
