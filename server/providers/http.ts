/** Calls providers over HTTP: pooled keep-alive connections, time-outs, and what an ending of the transport means. */
import { Agent, buildConnector, type Dispatcher, errors } from "undici";
import { env } from "../core/env";
import { errorFields, log } from "../core/log";
import { onShutdown, perProcess } from "../core/process";
import type {
  Adapter,
  Handover,
  HttpProvider,
  OutboundMessage,
  Outcome,
  Settings,
  WireRequest,
  WireResponse,
} from "./port";

const CONNECT_TIMEOUT_MS = 5_000;
/** Idle connections are dropped before the provider's balancer drops them, which would end a request in a reset. */
const KEEP_ALIVE_MS = 20_000;
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

/** The process's connections to providers. Who makes it before it begins to work has it closed after its work has ended. */
export const agent = (): Agent =>
  perProcess("providers.agent", () => {
    const made = new Agent({
      connect: connector(),
      connections: 256,
      pipelining: 1,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
    });
    onShutdown(() => made.destroy());
    return made;
  });

/** The system's or undici's own code; some of its errors have a code that is undefined. */
const codeOf = (thrown: unknown): string => {
  const code = typeof thrown === "object" && thrown !== null && "code" in thrown ? thrown.code : null;
  return typeof code === "string" && code !== "" ? code.toLowerCase() : "error";
};

/** What a failure of the transport means for the message. Its own words name hosts that customers have no business with. */
function outcomeOfFailure(thrown: unknown): Outcome {
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

/** One request, answered within PROVIDER_TIMEOUT_MS from its first byte to the answer's last. @throws what undici throws. */
async function callProvider(request: WireRequest): Promise<WireResponse> {
  const { origin, pathname, search } = new URL(request.url);
  const { statusCode, headers, body } = await agent().request({
    origin,
    path: pathname + search,
    method: request.method,
    headers: request.headers,
    body: request.body,
    signal: AbortSignal.timeout(env().PROVIDER_TIMEOUT_MS),
  });
  return {
    status: statusCode,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
    body: await readText(body),
  };
}

/** An answer that an adapter cannot make sense of: the message may have been taken. */
function unreadable(id: string, { status }: WireResponse, thrown: unknown): Outcome {
  log("warn", "provider.answer_unreadable", { provider: id, status, error: errorFields(thrown).error });
  const detail = `The provider's answer, HTTP ${status}, could not be read: the message may have been sent.`;
  return { kind: "unknown", code: "malformed_answer", detail };
}

/** A text that the provider is known to refuse for its length: it is not even asked. */
function tooLong({ textMax }: Pick<HttpProvider, "textMax">, { body, encoding }: OutboundMessage): Outcome | null {
  const most = textMax?.[encoding] ?? Number.POSITIVE_INFINITY;
  if (body.length <= most) return null;
  const detail = `The provider takes texts of at most ${most} characters in ${encoding}.`;
  return { kind: "retryable", code: "text_too_long", detail, fault: "message" };
}

/** Makes an HTTP provider something that messages can be handed to. */
export function httpAdapter<Own extends Settings>(provider: HttpProvider<Own>, settings: Own): Adapter {
  const { buildLookUp, readLookUp } = provider;
  return {
    id: provider.id,
    maxInFlight: provider.maxInFlight,
    send: async (handover) => {
      const excess = tooLong(provider, handover.message);
      if (excess) return excess;
      const request = provider.buildRequest(handover, settings);
      let response: WireResponse;
      try {
        response = await callProvider(request);
      } catch (thrown) {
        return outcomeOfFailure(thrown);
      }
      try {
        return provider.readResponse(response);
      } catch (thrown) {
        return unreadable(provider.id, response, thrown);
      }
    },
    ...(buildLookUp && readLookUp
      ? {
          lookUp: async (handover: Handover) =>
            readLookUp(await callProvider(buildLookUp(handover, settings)), handover),
        }
      : {}),
  };
}
