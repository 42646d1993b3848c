/** A request of the REST API and its response, as the edge (rest.ts) and the doors exchange them. */
import type { RequestFacts } from "../observability/requests";
import type { Compressed } from "./compress";
import type { Warning } from "./input/unknown-input";

/** A request as either door (node:http or fetch) hands it over. `readBody` is called only once the caller may pass. */
export type RestRequest = {
  method: string;
  /** Path below /api/v1, still percent-encoded, with the leading slash. */
  path: string;
  query: string;
  header: (name: string) => string | undefined;
  /** Address of the socket's other end; empty: not known. */
  peer: string;
  /** Whether the caller has hung up; absent: not known. */
  isAbandoned?: () => boolean;
  readBody: (accountId: string) => Promise<Buffer>;
};

/** `meta` of every response. */
export type Meta = { request_id: string; api_version: string; next_cursor?: string | null; warnings?: Warning[] };

/** `hasSecret`: the body must not be compressed. `compressed`: see {@link Compressed}. A 204 has no body. */
export type RestResponse = {
  status: number;
  headers: Record<string, string>;
  body: string;
  hasSecret?: boolean;
  compressed?: Compressed;
};

/** For the request log: the account and key, the caller's address, and the parsed body (undefined: none). */
type SeenRequest = { accountId: string; keyId: string; address: string; input: unknown; inputBytes: number };

/** A response, and what is known about its request. `seen`: null without a valid key. `facts`: null without an operation. */
export type RestOutcome = { response: RestResponse; seen: SeenRequest | null; facts: RequestFacts | null };
