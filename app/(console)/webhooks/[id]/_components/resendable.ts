import type { Delivery } from "@/server/webhooks/schema";

type Shown = Pick<Delivery, "status" | "attempts" | "next_attempt_state"> & { tries: readonly unknown[] };

/** Whether a delivery has failed and waits for its next try, which may be the first one of a new round. */
export const isFailing = ({ status, attempts, tries, next_attempt_state: next }: Shown): boolean =>
  status === "pending" && (attempts > 0 || (tries.length > 0 && next === "scheduled"));

/** Whether a delivery can be sent again: one whose try is due is on its way, unless that is late. */
export const isResendable = ({ status, next_attempt_state: next }: Shown): boolean =>
  status !== "pending" || next !== "due";
