/**
 * Emulated carriers that are called over HTTP, each on a free port of loopback.
 *
 * An {@link HttpCarrierDefinition} defines how a carrier reads, refuses, responds and reports. `start<Name>()` makes it with fresh
 * random credentials and passes it to {@link startHttpCarrier}. The framework keeps the plans, the book of taken messages and the
 * last receipts, and handles the faults of connections (hang, reset, slow, malformed).
 * A request takes these steps: `recipient` (for the plan and the count) -> planned `-unread` faults -> `read`, which returns a
 * {@link Refusal} where the real carrier would refuse it (sent as given and kept in `problems`, the plan unchanged) -> the next
 * planned behavior: `failure` of that kind, or it is recorded as taken and gets the response of `accepted`.
 * `jsonResponse`, `jsonOf`, `formOf`, `basicAuth` and `isHttpUrl` serve definitions.
 */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type CallbackRequest, send } from "./callback";
import type { Behavior, Carrier, InboundMessage, ReceiptOptions, Reported, TakenMessage } from "./carrier";

/** A request to the carrier. `path` is path and query as sent; `body` the raw bytes. */
export type CarrierRequest = { method: string; path: string; headers: IncomingHttpHeaders; body: Buffer };

export type CarrierResponse = { status: number; headers: Record<string, string>; body: string };

/** A request that the real carrier would refuse: its response, and the problem in our words. */
export type Refusal = { answer: CarrierResponse; problem: string };

/** The message in a valid request. `to` is E.164 with `+`; one receipt is sent for each id. */
export type Submission = Omit<TakenMessage, "takenAt">;

export type FailureKind = "refuse" | "unavailable" | "throttle" | "account";

/**
 * How a callback is sent. `receiptUrl` is the one configured in the carrier's console (definitions prefer the message's, if any).
 * `at` is the time in the callback, an hour ago for a stale one. `forged`: sign with another secret, or, if the carrier does not
 * sign, break its other proof.
 */
export type Sending = { receiptUrl: string; at: Date; forged: boolean };

export type HttpCarrierDefinition = {
  /** Settings of the product, given the carrier's address (`http://127.0.0.1:<port>`, without a trailing slash). */
  environment: (url: string) => Record<string, string>;
  /** The recipient of a request, in any notation; null when there is none. Reads faulty requests too; may throw (= null). */
  recipient: (request: CarrierRequest) => string | null;
  /** Checks method, path, credentials, content type and fields strictly. */
  read: (request: CarrierRequest) => Submission | Refusal;
  /** The response to requests that submit nothing new: a look-up, a known message, or one beyond the limit; null for all others. */
  respondToKnown?: (request: CarrierRequest, taken: readonly TakenMessage[]) => CarrierResponse | null;
  accepted: (taken: TakenMessage) => CarrierResponse;
  /** The response to a text whose last part was not taken, where each part has its own id; `ids` are those of the other parts. */
  partly?: (taken: TakenMessage) => CarrierResponse;
  failure: (kind: FailureKind, submission: Submission) => CarrierResponse;
  /** The signed receipt about `message.ids[part]`; null when the carrier would send none. */
  receipt: (message: TakenMessage, part: number, status: Reported, sending: Sending) => CallbackRequest | null;
  /** The signed request with a message from a handset. */
  inbound: (message: InboundMessage, sending: Sending) => CallbackRequest;
};

/** An emulated carrier that also records every malformed request that it refused. */
export type HttpCarrier = Carrier & { problems: readonly string[] };

type Fault = ReceiptOptions["fault"];

const STALE_MS = 3_600_000;

export const jsonResponse = (status: number, value: unknown): CarrierResponse => ({
  status,
  headers: { "content-type": "application/json" },
  body: JSON.stringify(value),
});

const mediaType = (request: CarrierRequest) => request.headers["content-type"]?.split(";")[0]?.trim().toLowerCase();

/** The JSON object of a request; null when its content type or its body is something else. */
export function jsonOf(request: CarrierRequest): Record<string, unknown> | null {
  if (mediaType(request) !== "application/json") return null;
  try {
    const value: unknown = JSON.parse(request.body.toString("utf8"));
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}

/** The form of a request; null when its content type is something else. */
export const formOf = (request: CarrierRequest): URLSearchParams | null =>
  mediaType(request) === "application/x-www-form-urlencoded"
    ? new URLSearchParams(request.body.toString("utf8"))
    : null;

/** The Authorization header of HTTP Basic. */
export const basicAuth = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;

/** Whether a value is an absolute URL to which a carrier would send. */
export const isHttpUrl = (value: unknown): value is string =>
  typeof value === "string" && /^https?:\/\/[^/]/.test(value) && URL.canParse(value);

const digits = (number: string) => number.replace(/\D/g, "");

/** Starts a carrier. @returns its interface for tests; close() also ends every hanging connection. */
export async function startHttpCarrier(definition: HttpCarrierDefinition): Promise<HttpCarrier> {
  const plans = new Map<string, Behavior[]>();
  const seen = new Map<string, number>();
  const taken: TakenMessage[] = [];
  const problems: string[] = [];
  const lastReceipts = new Map<string, CallbackRequest>();
  const lastInbound = new Map<string, CallbackRequest>();
  const waiting = new Set<NodeJS.Timeout>();
  let otherwise: (to: string) => Behavior = () => ({ kind: "accept" });

  const recipientOf = (request: CarrierRequest) => {
    try {
      return digits(definition.recipient(request) ?? "");
    } catch {
      return "";
    }
  };
  const answer = (response: ServerResponse, { status, headers, body }: CarrierResponse) => {
    if (!response.destroyed) response.writeHead(status, headers).end(body);
  };
  const take = (submission: Submission, answered = definition.accepted) => {
    const message = { ...submission, takenAt: new Date() };
    taken.push(message);
    return answered(message);
  };
  const behave = (behavior: Behavior, submission: Submission, response: ServerResponse) => {
    switch (behavior.kind) {
      case "refuse":
      case "unavailable":
      case "throttle":
      case "account":
        return answer(response, definition.failure(behavior.kind, submission));
      case "slow": {
        const late = take(submission);
        const timer = setTimeout(() => {
          waiting.delete(timer);
          answer(response, late);
        }, behavior.ms);
        return waiting.add(timer);
      }
      case "malformed": {
        const whole = take(submission);
        return answer(response, { ...whole, body: whole.body.slice(0, whole.body.length / 2) });
      }
      case "partial":
        if (!definition.partly) throw new Error("This carrier has one id for all parts.");
        return answer(response, take({ ...submission, ids: submission.ids.slice(0, -1) }, definition.partly));
      case "hang":
        return take(submission);
      case "reset":
        take(submission);
        return response.socket?.resetAndDestroy();
      default:
        return answer(response, take(submission));
    }
  };
  const handle = (request: CarrierRequest, response: ServerResponse) => {
    const to = recipientOf(request);
    seen.set(to, (seen.get(to) ?? 0) + 1);
    const plan = plans.get(to) ?? [];
    // The recipient is in the request, so it has been read; the client cannot tell.
    const next = plan[0] ?? (to === "" ? { kind: "accept" } : otherwise(`+${to}`));
    if (next.kind === "hang-unread" || next.kind === "reset-unread") {
      plan.shift();
      if (next.kind === "reset-unread") response.socket?.resetAndDestroy();
      return;
    }
    const known = definition.respondToKnown?.(request, taken);
    if (known) return answer(response, known);
    const read = definition.read(request);
    if ("problem" in read) {
      problems.push(`${request.method} ${request.path}: ${read.problem}`);
      return answer(response, read.answer);
    }
    plan.shift();
    behave(next, read, response);
  };

  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of incoming) chunks.push(chunk);
    } catch {
      return; // The client was gone before its request was complete.
    }
    const { method = "", url: path = "", headers } = incoming;
    try {
      handle({ method, path, headers, body: Buffer.concat(chunks) }, response);
    } catch (error) {
      problems.push(`The definition cannot cope with ${method} ${path}: ${error}`);
      response.socket?.resetAndDestroy();
    }
  });
  // Connections must outlive the pauses of a test, so that none is closed just as the client reuses it.
  server.keepAliveTimeout = 120_000;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));

  const receiptFor = (message: TakenMessage, part: number, status: Reported, receiptUrl: string, fault?: Fault) => {
    const key = message.ids[part];
    if (key === undefined) throw new Error(`The message has ${message.ids.length} ids, none at ${part}.`);
    const last = lastReceipts.get(key);
    if (fault === "replayed") {
      if (!last) throw new Error(`No receipt about ${key} was sent that could be replayed.`);
      return last;
    }
    const at = new Date(Date.now() - (fault === "stale" ? STALE_MS : 0));
    const request = definition.receipt(message, part, status, { receiptUrl, at, forged: fault === "forged" });
    if (request) lastReceipts.set(key, request);
    return request;
  };
  return {
    environment: definition.environment(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    plan: (to, ...behaviors) => {
      plans.set(digits(to), [...(plans.get(digits(to)) ?? []), ...behaviors]);
    },
    otherwise: (choose) => {
      otherwise = choose;
    },
    taken,
    problems,
    requestsFor: (to) => seen.get(digits(to)) ?? 0,
    report: async (message, status, receiptUrl, options = {}) => {
      const parts = options.part === undefined ? [...message.ids.keys()] : [options.part];
      const answers: number[] = [];
      for (const part of parts) {
        const request = receiptFor(message, part, status, receiptUrl, options.fault);
        if (request) answers.push(await send(request));
      }
      return answers;
    },
    inbound: (message, receiptUrl, isRepeated = false) => {
      const key = `${message.from} ${message.to} ${message.text}`;
      const fresh = definition.inbound(message, { receiptUrl, at: new Date(), forged: false });
      const request = (isRepeated && lastInbound.get(key)) || fresh;
      lastInbound.set(key, request);
      return send(request);
    },
    close: () =>
      new Promise((resolve) => {
        for (const timer of waiting) clearTimeout(timer);
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
