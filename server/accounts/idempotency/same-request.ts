/** Whether a request with an Idempotency-Key is the one that a response was stored for. */
import type { Idempotency } from "../../core/trpc";

/** Of a stored response. `valueHash` is null where a version stored it that knew only the bytes. */
export type StoredHashes = { requestHash: string; valueHash: string | null };
type Hashes = Pick<Idempotency, "requestHash" | "valueHash">;

/**
 * The stored form of a request's value. It names the bytes' hash beside it, because a version that knows only that one may
 * replace an expired response and leave this.
 */
export const storedValueHash = ({ requestHash, valueHash }: Hashes): string | null =>
  valueHash === undefined ? null : `${valueHash} ${requestHash}`;

/** The same bytes, or other bytes that stand for the same JSON value. */
export const isSameRequest = (known: StoredHashes, { requestHash, valueHash }: Hashes): boolean =>
  known.requestHash === requestHash ||
  (valueHash !== undefined && known.valueHash === `${valueHash} ${known.requestHash}`);
