import { transaction } from "../core/db";
import type { JobPayload } from "../core/jobs";
import { traceStored } from "../core/spans";
import { storeInbound } from "./intake";

/** Stores messages from handsets that could not be stored before their callback was acknowledged. */
export async function takeInbound({ provider, messages }: JobPayload<"apply_inbound">): Promise<void> {
  await traceStored(
    "inbound message",
    transaction((tx) => storeInbound(tx, provider, messages)),
    (ids) => ids,
  );
}
