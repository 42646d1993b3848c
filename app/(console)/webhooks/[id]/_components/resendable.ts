import type { Delivery } from "@/server/webhooks/schema";

type Shown = Pick<Delivery, "status" | "attempts" | "next_attempt_at"> & { tries: readonly unknown[] };

/** Whether a delivery has failed and waits for its next try, which may be the first one of a new round. */
export const isFailing = ({ status, attempts, tries, next_attempt_at }: Shown, nowMs: number): boolean =>
  status === "pending" &&
  (attempts > 0 || (tries.length > 0 && next_attempt_at !== null && Date.parse(next_attempt_at) > nowMs));

/** Whether a delivery can be sent again: one that was just queued is on its way. */
export const isResendable = (delivery: Shown, nowMs: number): boolean =>
  delivery.status !== "pending" || isFailing(delivery, nowMs);
