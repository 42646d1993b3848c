/** The emulated messaging API of Bandwidth (version 2). */
import { randomBytes, randomInt, randomUUID } from "node:crypto";
import type { CallbackRequest } from "./callback";
import type { Reported, TakenMessage } from "./carrier";
import {
  basicAuth,
  type CarrierRequest,
  type CarrierResponse,
  type FailureKind,
  formOf,
  type HttpCarrier,
  jsonOf,
  jsonResponse,
  type Refusal,
  type Sending,
  type Submission,
  startHttpCarrier,
} from "./http-carrier";
import { isNumber, isText, unknownFields } from "./notation";
import { countParts } from "./parts";

const FIELDS = ["applicationId", "to", "from", "text", "tag", "expiration", "priority"];
const DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;
const REPORT: Record<Reported, { type: string; description: string; errorCode?: number }> = {
  sent: { type: "message-sending", description: "Message is sending to carrier" },
  delivered: { type: "message-delivered", description: "ok" },
  undelivered: { type: "message-failed", description: "carrier-rejected-message", errorCode: 4750 },
  failed: { type: "message-failed", description: "rejected-spam-detected", errorCode: 4470 },
};

const typed = (status: number, type: string, description: string, more: object = {}): CarrierResponse =>
  jsonResponse(status, { type, description, ...more });

const invalid = (...names: string[]): CarrierResponse =>
  typed(400, "request-validation", "Your request could not be accepted", {
    fieldErrors: names.map((fieldName) => ({ fieldName, description: `'${fieldName}' is not valid` })),
  });

/** Wrong credentials get a response without a body, missing ones get one with a body. */
const WRONG_CREDENTIALS: CarrierResponse = {
  status: 401,
  headers: { "www-authenticate": 'Basic realm="api"' },
  body: "",
};

const FAILURE: Record<FailureKind, CarrierResponse> = {
  refuse: invalid("to"),
  unavailable: typed(503, "service-unavailable", "The service is not available"),
  throttle: typed(429, "max-message-queue-size-exceeded", "The queue of messages is full"),
  // Not 401, which a client would read as an early revocation of its token.
  account: typed(403, "forbidden", "The account may not use this service"),
};

const TOKEN_PATH = "/api/v1/oauth2/token";
const ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789";
const newId = (): string =>
  `${Date.now()}${Array.from({ length: 16 }, () => ALPHABET[randomInt(ALPHABET.length)] ?? "0").join("")}`;

/** Starts the carrier. Its receipt URL and the credentials for it are configured on the application. */
export function startBandwidth(): Promise<HttpCarrier> {
  const account = String(randomInt(1_000_000, 10_000_000));
  const [client, secret] = [`BAND-${account}`, randomBytes(12).toString("hex")];
  const tokens = new Set<string>();
  const [callbackUser, callbackPassword] = [`callback-${account}`, randomBytes(12).toString("base64url")];
  const applicationId = randomUUID();
  const path = `/api/v2/users/${account}/messages`;
  const refuse = (problem: string, answer: CarrierResponse): Refusal => ({ answer, problem });

  function read(request: CarrierRequest): Submission | Refusal {
    const { authorization } = request.headers;
    if (authorization === undefined) {
      return refuse("no credentials", typed(401, "unauthorized", "Your request could not be authenticated"));
    }
    if (!tokens.has(authorization)) return refuse("wrong credentials", WRONG_CREDENTIALS);
    if (/^\/api\/v2\/users\/[^/]+\/messages$/.test(request.path) && request.path !== path) {
      return refuse("another account", typed(403, "forbidden", "Access is denied"));
    }
    if (request.method !== "POST" || request.path !== path) {
      return refuse("no such resource", jsonResponse(404, { status: 404, error: "Not Found", path: request.path }));
    }
    const fields = jsonOf(request);
    if (!fields) return refuse("no JSON", typed(415, "unsupported-media-type", "JSON was expected"));
    const { to, from, text, tag, expiration, priority } = fields;
    const faults: [boolean, string][] = [
      [fields.applicationId !== applicationId, "applicationId"],
      [!Array.isArray(to) || to.length !== 1 || !isNumber(to[0], "with"), "to"],
      [!isNumber(from, "with") && !/^\d{3,8}$/.test(String(from)), "from"],
      [!isText(text, 1, 2_048), "text"],
      [tag !== undefined && !isText(tag, 1, 1_024), "tag"],
      [expiration !== undefined && !DATE.test(String(expiration)), "expiration"],
      [priority !== undefined && priority !== "default" && priority !== "high", "priority"],
    ];
    const wrong = [...faults.filter(([applies]) => applies).map(([, name]) => name), ...unknownFields(fields, FIELDS)];
    if (wrong.length > 0) return refuse(`invalid: ${wrong}`, invalid(...wrong));
    return {
      to: String(Array.isArray(to) ? to[0] : ""),
      from: String(from),
      text: String(text),
      parts: countParts(String(text)),
      ids: [newId()],
      reference: typeof tag === "string" ? tag : null,
      receiptUrl: null,
    };
  }

  /** A message as in responses and callbacks. */
  const shown = (message: TakenMessage) => ({
    id: message.ids[0],
    owner: message.from,
    applicationId,
    time: message.takenAt.toISOString(),
    segmentCount: message.parts,
    direction: "out",
    to: [message.to],
    from: message.from,
    ...(message.reference !== null && { tag: message.reference }),
  });

  const post = (event: object, { receiptUrl, forged }: Sending): CallbackRequest => ({
    method: "POST",
    url: receiptUrl,
    headers: { "content-type": "application/json; charset=utf-8" },
    body: JSON.stringify([event]),
    credentials: basicAuth(callbackUser, forged ? `${callbackPassword}0` : callbackPassword),
  });

  /** Grants a token for an hour, as the real one does. */
  function grant(request: CarrierRequest): CarrierResponse | null {
    if (request.path !== TOKEN_PATH) return null;
    const isAllowed = request.method === "POST" && request.headers.authorization === basicAuth(client, secret);
    if (!isAllowed || formOf(request)?.get("grant_type") !== "client_credentials") {
      return jsonResponse(401, { error: "invalid_client" });
    }
    const token = randomBytes(24).toString("base64url");
    tokens.add(`Bearer ${token}`);
    return jsonResponse(200, { access_token: token, token_type: "Bearer", expires_in: 3_600 });
  }

  return startHttpCarrier({
    respondToKnown: grant,
    environment: (url) => ({
      BANDWIDTH_ACCOUNT_ID: account,
      BANDWIDTH_CLIENT_ID: client,
      BANDWIDTH_CLIENT_SECRET: secret,
      BANDWIDTH_APPLICATION_ID: applicationId,
      BANDWIDTH_CALLBACK_USERNAME: callbackUser,
      BANDWIDTH_CALLBACK_PASSWORD: callbackPassword,
      BANDWIDTH_BASE_URL: `${url}/api/v2`,
      BANDWIDTH_TOKEN_URL: `${url}${TOKEN_PATH}`,
    }),
    recipient: (request) => {
      const to = jsonOf(request)?.to;
      return Array.isArray(to) ? String(to[0]) : null;
    },
    read,
    accepted: (message) => jsonResponse(202, { ...shown(message), text: message.text, priority: "default" }),
    failure: (kind) => FAILURE[kind],
    receipt: (message, _part, status, sending) => {
      const about = { time: sending.at.toISOString(), to: message.to };
      return post({ ...REPORT[status], ...about, message: { ...shown(message), text: "", media: [] } }, sending);
    },
    inbound: ({ from, to, text }, sending) => {
      const time = sending.at.toISOString();
      const about = { id: newId(), owner: to, applicationId, time, segmentCount: countParts(text), direction: "in" };
      const message = { ...about, to: [to], from, text, media: [] };
      return post({ type: "message-received", time, description: "Incoming message received", to, message }, sending);
    },
  });
}
