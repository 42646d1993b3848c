/** Console: requests that programs made of the REST API. */
import { z } from "zod";
import { DateTime } from "../core/wire";

const STATUS_CLASSES = ["2xx", "4xx", "5xx"] as const;
const LOG_MODES = ["off", "errors", "all"] as const;

export const ListRequestsQuery = z.object({
  status_class: z.enum(STATUS_CLASSES).optional(),
  key_id: z.string().min(1).max(40).optional(),
  /** A part of the path. */
  path: z.string().trim().min(1).max(100).optional(),
  /** The beginning of the caller's address. */
  address: z.string().trim().min(1).max(45).optional(),
  request_id: z.string().trim().min(1).max(40).optional(),
  /** The last request of the page before. */
  cursor: z.string().max(40).nullish(),
  limit: z.number().int().min(1).max(100).default(50),
});
export type ListRequestsQuery = z.output<typeof ListRequestsQuery>;

/**
 * A request and its response. `latency_ms`: until the response was made. `address`: of the caller; null: the request dates from
 * before an update of the service.
 */
export const LoggedRequest = z.object({
  id: z.string(),
  key_id: z.string(),
  /** Null: the key was deleted. */
  key_name: z.string().nullable(),
  method: z.string(),
  path: z.string(),
  query: z.string(),
  status: z.number().int(),
  latency_ms: z.number().int(),
  operation: z.string().nullable(),
  resource_id: z.string().nullable(),
  address: z.string().nullable(),
  created_at: DateTime,
});
export type LoggedRequest = z.output<typeof LoggedRequest>;

/**
 * `next`: cursor of the page behind; null: there is none. `searched`: how many requests a filter looks through at most, newest
 * first; null: no filter, or the page is full. `mode`: what the installation keeps.
 */
export const LoggedRequests = z.object({
  items: z.array(LoggedRequest),
  next: z.string().nullable(),
  searched: z.number().int().nullable(),
  mode: z.enum(LOG_MODES),
});
export type LoggedRequests = z.output<typeof LoggedRequests>;

export const RequestPath = z.object({ id: z.string().max(40) });

export const RequestOfMessagePath = z.object({ message_id: z.string().startsWith("msg_").max(40) });

/** Id of the request that sent a message; null: it is not in the log, as after seven days, or it cannot be told from another bulk send of the same moment. */
export const RequestOfMessage = z.object({ request_id: z.string().nullable() });
export type RequestOfMessage = z.output<typeof RequestOfMessage>;

/**
 * Bodies as JSON texts, shortened, with secrets masked; null: none. Of responses only errors are kept. `user_agent`: shortened too;
 * null: the request had none, or is too old to have it.
 */
export const LoggedRequestDetail = LoggedRequest.extend({
  user_agent: z.string().nullable(),
  request_body: z.string().nullable(),
  response_body: z.string().nullable(),
});
export type LoggedRequestDetail = z.output<typeof LoggedRequestDetail>;
