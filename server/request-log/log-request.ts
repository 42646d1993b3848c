/** Notes requests in memory, and writes them in batches a few times a second, so that no caller waits for the log. */
import { now } from "../core/clock";
import { env } from "../core/env";
import { isDatabaseUnavailable, isOutcomeUnknown } from "../core/errors";
import { errorFields, log } from "../core/log";
import { metrics } from "../core/metrics";
import { defineProcessValue, onShutdown } from "../core/process";
import { storableText } from "../core/wire";
import { resourceIdIn } from "../observability/requests";
import { maskBody, maskQuery, withoutSecrets } from "./mask";
import { insertRequests, type MadeInBulk, type RequestRow } from "./store";

const WRITE_EVERY_MS = 250;
const ROWS_PER_WRITE = 1_000;
/**
 * Bounds of the queue of rows to be written: requests, and bytes of their bodies. Requests beyond them are dropped and
 * counted.
 */
const WAITING_MAX = 5_000;
const WAITING_BYTES_MAX = 16_777_216;
/**
 * Requests that succeeded are noted while no more than these wait: some 400 per second and process. Masking and writing one takes
 * some 50 µs of processor time, so that this costs a busy process 2 % at most. Errors may use the whole queue.
 */
const SUCCEEDED_WAITING_MAX = 100;

const PATH_MAX = 300;
const QUERY_MAX = 500;
const USER_AGENT_MAX = 200;
const RESPONSE_MAX = 2_000;

/** A request and its response. `input`: its body as parsed; undefined: none. `response`: the body of the response. */
export type ServedRequest = Omit<RequestRow, "resourceId" | "bulk" | "requestBody" | "responseBody" | "createdAt"> & {
  input: unknown;
  inputBytes: number;
  response: string;
};

type Waiting = ServedRequest & { at: Date; bulk: MadeInBulk | null };

const requests = defineProcessValue("request_log.waiting", () => {
  onShutdown(writeAll);
  return { waiting: [] as Waiting[], bytes: 0, timer: null as NodeJS.Timeout | null, writing: Promise.resolve() };
});

/** Makes the log's queue, which is written once more at a stop. */
export const openRequestLog = (): void => void requests();

const isKept = (status: number): boolean => {
  const mode = env().REQUEST_LOG;
  return mode === "all" || (mode === "errors" && status >= 400);
};

/** Notes a request, if the installation keeps such requests and there is space for it. Masking and writing follow later. */
export function logRequest(request: ServedRequest): void {
  if (!isKept(request.status)) return;
  const state = requests();
  const waitingMax = request.status < 400 ? SUCCEEDED_WAITING_MAX : WAITING_MAX;
  const isFull = state.waiting.length >= waitingMax || state.bytes + request.inputBytes > WAITING_BYTES_MAX;
  if (isFull) {
    metrics().requestLogDropped.inc();
    return;
  }
  state.bytes += request.inputBytes;
  // Nobody reads the responses of successful requests, and they may be large.
  state.waiting.push({ at: now(), ...request, bulk: bulkOf(request), response: keptResponse(request) });
  state.timer ??= setTimeout(writeOn, WRITE_EVERY_MS);
}

const BULK =
  /^\{"success":true,"data":\{"object":"bulk_result","total":(\d+),"sent":\d+,"failed":\d+,"messages":\[\{"id":"(msg_\w+)"/;
/** Never within a text, where a quotation mark follows a backslash. */
const MESSAGE_START = '{"id":"msg_';

/** The messages of a successful bulk send, read from both ends of the response, which may be long. */
function bulkOf({ status, response }: ServedRequest): MadeInBulk | null {
  const [, count, firstId] = (status < 400 && BULK.exec(response)) || [];
  if (!firstId) return null;
  const lastAt = response.lastIndexOf(MESSAGE_START) + MESSAGE_START.length - "msg_".length;
  return { firstId, lastId: response.slice(lastAt, lastAt + firstId.length), count: Number(count) };
}

/** The stored part of a response: all of an error, else the first 120 characters, which name the resource. */
const keptResponse = ({ status, response }: ServedRequest): string =>
  response.slice(0, status >= 400 ? RESPONSE_MAX : 120);

const keptText = (text: string, length: number): string => storableText(withoutSecrets(text), length);

function rowOf({ input, response, at, inputBytes: _, ...request }: Waiting): RequestRow {
  const keepsTexts = env().REQUEST_LOG_TEXTS;
  return {
    resourceId: resourceIdIn(response),
    requestBody: input === undefined ? null : maskBody(input, keepsTexts),
    responseBody: request.status >= 400 ? keptText(response, RESPONSE_MAX) : null,
    createdAt: at,
    ...request,
    method: storableText(request.method, 20),
    path: keptText(request.path, PATH_MAX),
    query: storableText(maskQuery(request.query.slice(0, QUERY_MAX), keepsTexts), QUERY_MAX),
    latencyMs: Math.round(request.latencyMs),
    userAgent: keptText(request.userAgent ?? "", USER_AGENT_MAX) || null,
  };
}

/** Takes the oldest `count` entries out of the queue. */
function take(count: number): Waiting[] {
  const state = requests();
  const taken = state.waiting.splice(0, count);
  for (const { inputBytes } of taken) state.bytes -= inputBytes;
  return taken;
}

/**
 * Writes the oldest {@link ROWS_PER_WRITE} entries. Failed writes are dropped: the log must not fill the memory.
 * @returns whether there was a database to take them.
 */
async function writeSome(): Promise<boolean> {
  const batch = take(ROWS_PER_WRITE);
  if (batch.length === 0) return true;
  try {
    await insertRequests(batch.map(rowOf));
    return true;
  } catch (thrown) {
    metrics().requestLogDropped.inc(batch.length);
    log("warn", "request_log.not_written", { requests: batch.length, ...errorFields(thrown) });
    return !isDatabaseUnavailable(thrown) && !isOutcomeUnknown(thrown);
  }
}

/** One write at a time, however slow the database is. */
function writeOn(): void {
  const state = requests();
  state.writing = writeSome().then(() => {
    state.timer = state.waiting.length > 0 ? setTimeout(writeOn, WRITE_EVERY_MS) : null;
  });
}

/** Writes everything that waits; for an orderly stop. Without a database it is dropped: a stop does not wait for that again and again. */
export async function writeAll(): Promise<void> {
  const state = requests();
  await state.writing;
  while (state.waiting.length > 0) {
    if (!(await writeSome())) metrics().requestLogDropped.inc(take(state.waiting.length).length);
  }
}
