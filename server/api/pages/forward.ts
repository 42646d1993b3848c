/** Forwards requests to the pages process over its socket. Bodies are complete: the doors have already read and checked them. */
import http, { type Agent, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import { PEER_ADDRESS_HEADER } from "../../auth/sign-in/caller-address";
import { PAGE_HEADER } from "../../auth/sign-in/sign-in-path";

/** Fields that apply to one connection only (RFC 9110, 7.6.1), and those that frame a body, which this process sets itself. */
const OF_ONE_CONNECTION: ReadonlySet<string> = new Set([
  ...["connection", "keep-alive", "proxy-connection", "proxy-authenticate", "proxy-authorization", "te", "trailer"],
  ...["transfer-encoding", "upgrade", "expect"],
]);
/**
 * Fields that say where a request came from, and those that the doors write for the pages. A caller cannot remove one by naming it in
 * `Connection`: sign-ins from an unknown address have no limit per network.
 */
const ALWAYS_THROUGH: ReadonlySet<string> = new Set([
  ...[PEER_ADDRESS_HEADER, PAGE_HEADER],
  ...["content-security-policy", "x-forwarded-for"],
]);
/** Next lists the files of a page in a header. */
const RESPONSE_HEADERS_MAX_BYTES = 65_536;

/** The pages process sent no response, or there is none. */
export class NoPages extends Error {}

/** The fields that are forwarded, without those that `Connection` names. */
function throughFields(headers: IncomingHttpHeaders): Record<string, string | string[]> {
  const named = (headers.connection ?? "")
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((name) => !ALWAYS_THROUGH.has(name));
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || OF_ONE_CONNECTION.has(name) || named.includes(name) ? [] : [[name, value]],
    ),
  );
}

function requestFields(headers: IncomingHttpHeaders, body: Buffer | undefined): Record<string, string | string[]> {
  // `body` is the only body, whatever length the caller announced.
  const { "content-length": _, ...others } = throughFields(headers);
  return body === undefined ? others : { ...others, "content-length": String(body.length) };
}

/**
 * Forwards a request, and its response as it arrives.
 * @param body none by default.
 * @returns when the response is written or its reader has gone.
 * @throws {@link NoPages} if the pages process fails before anything of a response was written.
 */
export function forward(
  { socketPath, agent }: { socketPath: string; agent: Agent },
  request: IncomingMessage,
  response: ServerResponse,
  body?: Buffer,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const passed = http.request({
      ...{ socketPath, agent, method: request.method, path: request.url },
      ...{ headers: requestFields(request.headers, body), setHost: false, maxHeaderSize: RESPONSE_HEADERS_MAX_BYTES },
    });
    response.once("close", () => {
      // A reader who leaves early ends the work on the page.
      if (!response.writableFinished) passed.destroy();
      resolve();
    });
    passed.once("response", (page) => {
      response.writeHead(page.statusCode ?? 502, throughFields(page.headers));
      response.flushHeaders();
      // A page that breaks off must not look complete.
      page.once("error", () => response.destroy());
      page.pipe(response);
    });
    passed.once("error", (thrown) => {
      if (response.headersSent) response.destroy();
      else reject(new NoPages("The pages process did not respond.", { cause: thrown }));
    });
    passed.end(body);
  });
}
