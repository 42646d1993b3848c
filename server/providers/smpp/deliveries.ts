/** What a centre delivers on one connection. It is always read, and what is too much is left to the centre for later. */
import { errorFields, log } from "../../core/log";
import { STATUS_QUEUE_FULL, STATUS_TEMPORARY } from "./status";
import { type Pdu, STATUS_OK } from "./wire";

/** deliver_sm under way at once; the centre repeats the others later. */
const DELIVERIES_MAX = 200;

export type Deliveries = {
  /** Has a deliver_sm taken in, and answers it. */
  take: (pdu: Pdu) => Promise<void>;
  /** Those that are taken and have no answer yet. */
  underWay: () => number;
  /** Takes nothing more; what is under way is answered. */
  stop: () => void;
};

/**
 * Takes in what a centre delivers.
 * @param deliver takes in one; when it rejects, the centre is told to repeat it.
 * @param answer answers one with a command_status.
 */
export function createDeliveries(
  deliver: (pdu: Pdu) => Promise<void>,
  answer: (pdu: Pdu, status: number) => void,
): Deliveries {
  let underWay = 0;
  let isStopped = false;
  let isTold = false;

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
        // Once for each flood, not once for each PDU of it.
        if (!isStopped && !isTold) log("warn", "smpp.deliveries_put_off", { under_way: underWay });
        isTold = true;
        answer(pdu, STATUS_QUEUE_FULL);
        return;
      }
      underWay += 1;
      const status = await statusOf(pdu);
      underWay -= 1;
      if (underWay < DELIVERIES_MAX / 2) isTold = false;
      answer(pdu, status);
    },
    underWay: () => underWay,
    stop: () => {
      isStopped = true;
    },
  };
}
