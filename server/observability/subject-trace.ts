/** Ids of the trace of a subject (server/core/spans.ts), derived from the subject's own id. */
import { ID_ALPHABET } from "../core/ids";

/** `traceId` in 32 and `spanId`, of its first span, in 16 hexadecimal digits. */
export type TraceIds = { traceId: string; spanId: string };

/** The 128 bits of an id are those of the trace; their second half, which is random, is its first span. */
export function traceOf(subject: string): TraceIds {
  let bits = 0n;
  for (const character of subject.slice(subject.indexOf("_") + 1)) {
    bits = (bits << 5n) | BigInt(Math.max(0, ID_ALPHABET.indexOf(character)));
  }
  const traceId = bits.toString(16).padStart(32, "0").slice(-32);
  return { traceId, spanId: traceId.slice(16) };
}

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;

/** Reads a `traceparent` (W3C Trace Context); null when it is malformed. */
export function readTraceparent(text: string): (TraceIds & { isSampled: boolean }) | null {
  const [, traceId = "", spanId = "", flags = ""] = TRACEPARENT.exec(text.slice(0, 200)) ?? [];
  if (/^0*$/.test(traceId) || /^0*$/.test(spanId)) return null;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/** The text of a `traceparent`. */
export const traceparentOf = ({ traceId, spanId }: TraceIds, isSampled: boolean): string =>
  `00-${traceId}-${spanId}-0${isSampled ? 1 : 0}`;
