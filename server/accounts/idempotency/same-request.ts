/** Whether a request with an Idempotency-Key is the one that a response was stored for. */
import type { Idempotency } from "../../core/trpc";

/** The hashes of a stored response's request. `valueHash` is null if a version that hashed only the bytes stored it. */
export type StoredHashes = { requestHash: string; valueHash: string | null };
type Hashes = Pick<Idempotency, "requestHash" | "valueHash">;

/**
 * The stored form of a request's value. It also contains the hash of the bytes, because a version that knows only that hash may
 * replace an expired response and leave this column unchanged.
 */
export const storedValueHash = ({ requestHash, valueHash }: Hashes): string | null =>
  valueHash === undefined ? null : `${valueHash} ${requestHash}`;

/** Whether the bytes are the same, or stand for the same JSON value. */
export const isSameRequest = (known: StoredHashes, { requestHash, valueHash }: Hashes): boolean =>
  known.requestHash === requestHash ||
  (valueHash !== undefined && known.valueHash === `${valueHash} ${known.requestHash}`);
