/** Calls providers over HTTP: pooled keep-alive connections, time-outs, and what an ending of the transport means. */
import { Agent, buildConnector, type Dispatcher, errors } from "undici";
import { deadlineSignal, hasStalledSince, socketsRead, stalledMs } from "../../core/deadline";
import { env } from "../../core/env";
import { errorFields, log } from "../../core/log";
import { onShutdown, perProcess } from "../../core/process";
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
import { type AccessTokens, accessTokens } from "./access-token";
import type { NotAccepted } from "./response";

const CONNECT_TIMEOUT_MS = 5_000;
/** Idle connections are dropped before the provider's balancer drops them, which would end a request in a reset. */
const KEEP_ALIVE_MS = 20_000;
/** After a stall of this length nobody knows how long the other side will keep the idle connections. */
const LONG_STALL_MS = KEEP_ALIVE_MS / 2;
const BODY_MAX_BYTES = 262_144;

/** Errors of connections that never stood: name, TCP or TLS failed, so the provider cannot have seen a request. */
const notConnected = new WeakSet<Error>();

function connector(): buildConnector.connector {
  // Well before an answer would be given up, or else nobody could tell one from the other.
  const connect = buildConnector({ timeout: Math.min(CONNECT_TIMEOUT_MS, env().PROVIDER_TIMEOUT_MS / 2) });
  return (options, callback) =>
    connect(options, (error, socket) => {
      if (error === null) return callback(null, socket);
      notConnected.add(error);
      return callback(error, null);
    });
}

const makeAgent = (): Agent =>
  new Agent({
    connect: connector(),
    connections: 256,
    pipelining: 1,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
  });

/**
 * The process's connections to providers; after a long stall they are new ones. Who makes it before it begins to work has
 * it closed after its work has ended.
 */
export function agent(): Agent {
  const own = perProcess("providers.agent", () => {
    const made = { agent: makeAgent(), markMs: stalledMs() };
    onShutdown(() => made.agent.destroy());
    return made;
  });
  if (hasStalledSince(own.markMs, LONG_STALL_MS)) {
    // Ends with the last of its calls.
    own.agent.close().catch(() => undefined);
    own.agent = makeAgent();
  }
  own.markMs = stalledMs();
  return own.agent;
}

/** The system's or undici's own code; some of its errors have a code that is undefined. */
const codeOf = (thrown: unknown): string => {
  const code = typeof thrown === "object" && thrown !== null && "code" in thrown ? thrown.code : null;
  return typeof code === "string" && code !== "" ? code.toLowerCase() : "error";
};

/**
 * What a failure of the transport means for the message. Its own words name hosts that customers have no business with.
 * @param isStalled whether this process stood still meanwhile, so that the provider may not be to blame.
 */
function outcomeOfFailure(thrown: unknown, isStalled: boolean): SendOutcome {
  const outcome = outcomeOfThrown(thrown);
  return isStalled ? { ...outcome, isOurStall: true } : outcome;
}

function outcomeOfThrown(thrown: unknown): Exclude<SendOutcome, { kind: "accepted" }> {
  const code = codeOf(thrown);
  if (thrown instanceof Error && notConnected.has(thrown)) {
    return { kind: "retryable", code, detail: "The provider could not be reached.", fault: "provider" };
  }
  if (thrown instanceof errors.HeadersTimeoutError || thrown instanceof errors.BodyTimeoutError || isAbort(thrown)) {
    return {
      kind: "unknown",
      code: "timeout",
      detail: "The provider did not answer in time: the message may have been sent.",
    };
  }
  return { kind: "unknown", code, detail: "The connection to the provider was lost: the message may have been sent." };
}

const isAbort = (thrown: unknown): boolean =>
  thrown instanceof Error && (thrown.name === "TimeoutError" || thrown.name === "AbortError");

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
  return Buffer.concat(chunks).toString("utf8");
}

/**
 * One request, answered within PROVIDER_TIMEOUT_MS from its first byte to the answer's last; time in which this process
 * stood still does not count. @throws what undici throws.
 */
async function callProvider(request: WireRequest): Promise<WireResponse> {
  const { origin, pathname, search } = new URL(request.url);
  await socketsRead();
  const deadline = deadlineSignal(env().PROVIDER_TIMEOUT_MS);
  try {
    const { statusCode, headers, body } = await agent().request({
      origin,
      path: pathname + search,
      method: request.method,
      headers: request.headers,
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

/** An answer that an adapter cannot make sense of: the message may have been taken. */
function unreadable(id: string, { status }: WireResponse, thrown: unknown): SendOutcome {
  log("warn", "provider.answer_unreadable", { provider: id, status, error: errorFields(thrown).error });
  const detail = `The provider's answer, HTTP ${status}, could not be read: the message may have been sent.`;
  return { kind: "unknown", code: "malformed_answer", detail };
}

/** A text that the provider is known to refuse for its length: it is not even asked. */
function tooLong({ textMax }: Pick<HttpProvider, "textMax">, { body, encoding }: OutboundMessage): SendOutcome | null {
  const most = textMax?.[encoding] ?? Number.POSITIVE_INFINITY;
  if (body.length <= most) return null;
  const detail = `The provider takes texts of at most ${most} characters in ${encoding}.`;
  return { kind: "retryable", code: "text_too_long", detail, fault: "message" };
}

/** The access tokens of a provider whose settings ask for them; null for all others. */
function tokensOf<Own extends Settings>(provider: HttpProvider<Own>, settings: Own): AccessTokens | null {
  const request = provider.buildTokenRequest?.(settings) ?? null;
  return request && accessTokens(() => callProvider(request));
}

const UNAUTHORIZED = 401;

/** Makes an HTTP provider something that messages can be handed to. */
export function httpAdapter<Own extends Settings>(provider: HttpProvider<Own>, settings: Own): Adapter {
  const { buildLookUp, readLookUp } = provider;
  const tokens = tokensOf(provider, settings);

  /** Calls the provider; once more when it refused a token, which may have been revoked before its time. */
  async function submit(sendRequest: SendRequest): Promise<WireResponse | NotAccepted> {
    for (let isLast = tokens === null; ; isLast = true) {
      const access = (await tokens?.get()) ?? { token: undefined };
      if ("refusal" in access) return access.refusal;
      const response = await callProvider(provider.buildRequest(sendRequest, settings, access.token));
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
      const excess = tooLong(provider, sendRequest.message);
      if (excess) return excess;
      const markMs = stalledMs();
      let response: WireResponse | NotAccepted;
      try {
        response = await submit(sendRequest);
      } catch (thrown) {
        return outcomeOfFailure(thrown, hasStalledSince(markMs));
      }
      if ("kind" in response) return response;
      try {
        return provider.readResponse(response);
      } catch (thrown) {
        return unreadable(provider.id, response, thrown);
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
