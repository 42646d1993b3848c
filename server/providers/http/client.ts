/** Calls providers over HTTP: pooled keep-alive connections, timeouts, and outcomes of transport failures. */
import { randomUUID } from "node:crypto";
import { Agent, buildConnector, type Dispatcher, errors } from "undici";
import { now } from "../../core/clock";
import { deadlineSignal, hasStalledSince, hasStoodStill, socketsRead, stalledMs } from "../../core/deadline";
import { env } from "../../core/env";
import { errorFields, log } from "../../core/log";
import { lookUpTimedOut } from "../../core/own-failures";
import { defineProcessValue, onShutdown } from "../../core/process";
import { limitReceived } from "../../egress/limit-received";
import { proxyConnector } from "../../egress/proxy";
import type {
  Adapter,
  HttpProvider,
  OutboundMessage,
  SendOutcome,
  SendRequest,
  Settings,
  WireRequest,
  WireResponse,
} from "../port";
import type { ProviderId } from "../schema";
import { type AccessTokens, accessTokens, signedTokens, type TokenStore } from "./access-token";
import { isBeingLookedUp, lookUp } from "./look-up";
import { type NotAccepted, outcomeOfEnvoy } from "./response";
import { notConnected, outcomeOfFailure } from "./transport-failure";

const CONNECT_TIMEOUT_MS = 5_000;
/** Idle connections are closed before the provider's balancer closes them, which would reset a request. */
const KEEP_ALIVE_MS = 20_000;
/** After a stall of this length the other side may have closed idle connections. */
const LONG_STALL_MS = KEEP_ALIVE_MS / 2;
const BODY_MAX_BYTES = 262_144;
/** Far more than a body and its headers; for what a parser passes over. */
const RECEIVED_MAX_BYTES = 4 * BODY_MAX_BYTES;
/** No response to one message has as many values; adapters check them one by one, and a list of a hundred thousand takes seconds. */
const COMMAS_MAX = 5_000;

/**
 * @throws Error when this process has stalled since the mark: others may have given the message to another provider, so it
 *   must no longer be written.
 */
function requireAwake(markMs: number): void {
  if (!hasStoodStill(markMs)) return;
  const stalled = Object.assign(new Error("This process stood still before it called."), { code: "PROCESS_STALLED" });
  notConnected.add(stalled);
  throw stalled;
}

function connector(): buildConnector.connector {
  // Well before the timeout of the response, so that the two can be distinguished.
  const limitMs = Math.min(CONNECT_TIMEOUT_MS, env().PROVIDER_TIMEOUT_MS / 2);
  const hostsOf = async (hostname: string) => [hostname];
  const connect =
    proxyConnector("providers", { limitMs, hostsOf }) ?? buildConnector({ timeout: limitMs, lookup: lookUp });
  return (options, callback) => {
    const markMs = stalledMs();
    connect(options, (error, socket) => {
      if (error !== null) {
        const isUnresolved = error instanceof errors.ConnectTimeoutError && isBeingLookedUp(options.hostname);
        const failure = isUnresolved ? lookUpTimedOut() : error;
        notConnected.add(failure);
        return callback(failure, null);
      }
      try {
        requireAwake(markMs);
      } catch (stalled) {
        socket.destroy();
        return callback(stalled as Error, null);
      }
      limitReceived(socket, RECEIVED_MAX_BYTES);
      return callback(null, socket);
    });
  };
}

const makeAgent = (): Agent =>
  new Agent({
    connect: connector(),
    connections: 256,
    pipelining: 1,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
  });

const currentAgent = defineProcessValue("providers.agent", () => {
  const made = { agent: makeAgent(), markMs: stalledMs() };
  onShutdown(() => made.agent.destroy());
  return made;
});

/**
 * The process's connections to providers, replaced after a long stall. They are closed at a stop, after everything that
 * registered for the stop later than the first call.
 */
export function agent(): Agent {
  const own = currentAgent();
  if (hasStalledSince(own.markMs, LONG_STALL_MS)) {
    // Closes once its last call has ended.
    own.agent.close().catch(() => undefined);
    own.agent = makeAgent();
  }
  own.markMs = stalledMs();
  return own.agent;
}

/** A text up to its last comma that is read: JSON that is cut off cannot be read. */
function cutAtComma(text: string): string {
  let at = -1;
  for (let commas = 0; commas <= COMMAS_MAX; commas += 1) {
    at = text.indexOf(",", at + 1);
    if (at === -1) return text;
  }
  return text.slice(0, at);
}

async function readText(body: Dispatcher.ResponseData["body"]): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > BODY_MAX_BYTES) {
      body.destroy();
      break;
    }
    chunks.push(chunk);
  }
  // Leaves out a byte order mark, which JSON.parse does not take.
  return cutAtComma(new TextDecoder().decode(Buffer.concat(chunks)));
}

/**
 * Sends one request. PROVIDER_TIMEOUT_MS bounds the time until the response has ended, not counting stalls of this
 * process.
 * @param markMs {@link stalledMs} when the request was decided on.
 * @throws undici's errors, and that of {@link requireAwake}.
 */
async function callProvider(request: WireRequest, markMs = stalledMs()): Promise<WireResponse> {
  const { origin, pathname, search } = new URL(request.url);
  await socketsRead();
  requireAwake(markMs);
  const deadline = deadlineSignal(env().PROVIDER_TIMEOUT_MS);
  try {
    const { statusCode, headers, body } = await agent().request({
      origin,
      path: pathname + search,
      method: request.method,
      // Without it any encoding may come (RFC 9110, 12.5.3), and none is decoded here.
      headers: { "accept-encoding": "identity", ...request.headers },
      body: request.body,
      signal: deadline.signal,
    });
    return {
      status: statusCode,
      headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
      body: await readText(body),
    };
  } finally {
    deadline.clear();
  }
}

/** The outcome of a response that its adapter cannot read: the message may have been taken. Its body may quote the message. */
function unreadableOutcome(id: string, { status, headers, body }: WireResponse, thrown: unknown): SendOutcome {
  log("warn", "provider.answer_unreadable", { provider: id, status, error: errorFields(thrown).error });
  const detail = `The provider's response, HTTP ${status}, could not be read: the message may have been sent.`;
  const type = headers["content-type"] ?? "no type";
  const providerDetail = body === "" ? "Its body is empty." : `Its body has ${body.length} characters of ${type}.`;
  return { kind: "unknown", code: "malformed_answer", detail, providerDetail };
}

/** The outcome of a text longer than the provider's known limit, for which it is not called; null when it fits. */
function tooLongOutcome(
  { textMax }: Pick<HttpProvider, "textMax">,
  { body, encoding }: OutboundMessage,
): SendOutcome | null {
  const limit = textMax?.[encoding] ?? Number.POSITIVE_INFINITY;
  if (body.length <= limit) return null;
  const detail = `The provider takes texts of at most ${limit} characters in ${encoding}.`;
  return { kind: "retryable", code: "text_too_long", detail, fault: "message" };
}

/** Makes the store of the tokens that a provider grants to a request. */
type ShareTokens = (provider: ProviderId, request: WireRequest) => TokenStore;

/** The access tokens of a provider whose settings ask for them; null for all others. */
function tokensOf<Own extends Settings>(
  provider: HttpProvider<Own>,
  settings: Own,
  share: ShareTokens | null,
): AccessTokens | null {
  const request = provider.buildTokenRequest?.(settings);
  if (request) return accessTokens(() => callProvider(request), share?.(provider.id, request) ?? null);
  const { signToken } = provider;
  const sign = () => signToken?.(settings, now(), randomUUID()) ?? null;
  const first = sign();
  return first && signedTokens(() => sign() ?? first);
}

const UNAUTHORIZED = 401;

/**
 * Makes the adapter of an HTTP provider. Its `send` never rejects for a failure of the provider or the network.
 * @param share stores access tokens for all processes; null: this adapter has its own.
 */
export function httpAdapter<Own extends Settings>(
  provider: HttpProvider<Own>,
  settings: Own,
  share: ShareTokens | null = null,
): Adapter {
  const { buildLookUp, readLookUp } = provider;
  const tokens = tokensOf(provider, settings, share);

  /** Calls the provider; once more if it refused the token, which may have been revoked early. */
  async function submit(sendRequest: SendRequest, markMs: number): Promise<WireResponse | NotAccepted> {
    for (let isLast = tokens === null; ; isLast = true) {
      const access = (await tokens?.get()) ?? { token: undefined };
      if ("refusal" in access) return access.refusal;
      const response = await callProvider(provider.buildRequest(sendRequest, settings, access.token), markMs);
      if (isLast || response.status !== UNAUTHORIZED || access.token === undefined) return response;
      tokens?.drop(access.token);
    }
  }

  return {
    id: provider.id,
    maxInFlight: provider.maxInFlight,
    ...(tokens && {
      ready: async () => {
        const access = await tokens.get();
        return "refusal" in access ? access.refusal : null;
      },
    }),
    send: async (sendRequest) => {
      const refused = tooLongOutcome(provider, sendRequest.message) ?? provider.refuse?.(sendRequest, settings);
      if (refused) return refused;
      const markMs = stalledMs();
      let response: WireResponse | NotAccepted;
      try {
        response = await submit(sendRequest, markMs);
      } catch (thrown) {
        return outcomeOfFailure(thrown, hasStalledSince(markMs));
      }
      if ("kind" in response) return response;
      try {
        return outcomeOfEnvoy(response) ?? provider.readResponse(response);
      } catch (thrown) {
        return unreadableOutcome(provider.id, response, thrown);
      }
    },
    ...(buildLookUp && readLookUp
      ? {
          lookUp: async (sendRequest: SendRequest) =>
            readLookUp(await callProvider(buildLookUp(sendRequest, settings)), sendRequest),
        }
      : {}),
  };
}
