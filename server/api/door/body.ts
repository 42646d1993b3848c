/** Reads the bodies of requests into memory, within one limit for all of them together. */
import { IncomingMessage, type ServerResponse } from "node:http";
import { type ApiError, invalidRequest, overloaded } from "../../core/errors";
import { defineProcessValue } from "../../core/process";
import { type Lease, openBudget } from "./byte-budget";

const MIB = 1_048_576;
/** Bytes of bodies held at once: for callers with a key, session or receipt path, and for all others. */
const KNOWN = { totalBytes: 64 * MIB, perOwnerBytes: 16 * MIB };
const STRANGERS = { totalBytes: 16 * MIB, perOwnerBytes: MIB };
/** Memory of one chunk beyond its bytes: a body sent byte by byte takes many times its size. */
const PIECE_BYTES = 200;

const budgets = defineProcessValue("door.bodies", () => ({
  known: openBudget(KNOWN),
  stranger: openBudget(STRANGERS),
}));

/** Owner of the body, and its largest size. `tooLarge` makes the refusal of a larger one. */
export type BodyRules = { kind: "known" | "stranger"; owner: string; maxBytes: number; tooLarge: () => ApiError };

/** The caller has gone, so nobody receives this error. It is a caller's error, so it is not logged as ours. */
const bodyCutOff = () => invalidRequest("The connection ended before the body was read.", { reason: "malformed_json" });

/** Opens a lease. Its bytes are released when the response has been written or the caller has gone. */
function openLease(response: ServerResponse, { kind, owner }: BodyRules): Lease {
  const lease = budgets()[kind].open(owner);
  if (response.destroyed) lease.release();
  else response.once("close", lease.release);
  return lease;
}

/**
 * Reads a body to its end.
 * @throws the error of `tooLarge`; 503 `overloaded` when the process holds too many bytes; 400 when the body ends early or
 *   its caller has gone.
 */
export function readBody(request: IncomingMessage, response: ServerResponse, rules: BodyRules): Promise<Buffer> {
  // The caller left while the request waited for us: reading would never yield anything, nor end.
  if (request.destroyed) return Promise.reject(bodyCutOff());
  if (Number(request.headers["content-length"]) > rules.maxBytes) return Promise.reject(rules.tooLarge());
  const lease = openLease(response, rules);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const refuse = (error: ApiError) => {
      request.off("data", take).pause();
      chunks.length = 0;
      lease.release();
      reject(error);
    };
    const take = (chunk: Buffer) => {
      size += chunk.length;
      if (size > rules.maxBytes) refuse(rules.tooLarge());
      else if (!lease.grow(chunk.length + PIECE_BYTES)) refuse(overloaded());
      else chunks.push(chunk);
    };
    request.on("data", take);
    request.on("end", () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    // The response of a broken connection never emits `close`, because it may already be detached.
    const cutOff = () => refuse(bodyCutOff());
    request.on("error", cutOff);
    request.on("aborted", cutOff);
  });
}

/** The same request with an already read body, as a stream for a reader that needs one. */
export function withBody(request: IncomingMessage, body: Buffer): IncomingMessage {
  const again = new IncomingMessage(request.socket);
  const { method, url, headers, rawHeaders, httpVersion, httpVersionMajor, httpVersionMinor } = request;
  Object.assign(again, { method, url, headers, rawHeaders, httpVersion, httpVersionMajor, httpVersionMinor });
  again.push(body);
  again.push(null);
  again.complete = true;
  return again;
}
