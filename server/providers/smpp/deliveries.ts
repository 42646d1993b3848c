/** Deliveries of a centre on one connection. All are read; those beyond the limit are refused, to be repeated later. */
import { errorFields, log } from "../../core/log";
import { STATUS_QUEUE_FULL, STATUS_TEMPORARY } from "./status";
import { type Pdu, STATUS_OK } from "./wire";

/**
 * Concurrent deliver_sm. The centre repeats the others later, often minutes later: this is as many receipts as come at a high
 * rate while one transaction stores those before, and some hundred kilobytes.
 */
const DELIVERIES_MAX = 1_000;

export type Deliveries = {
  /** Takes a deliver_sm, and responds to it. */
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
        // Once for each flood, not for each of its PDUs.
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
