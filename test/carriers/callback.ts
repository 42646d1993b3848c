/** Callbacks of carriers to the product over HTTP. */
import { request as openRequest } from "node:http";

/**
 * A request of the carrier to the product; the body of a GET is empty. `credentials`: an Authorization header that is sent only
 * after a first request without it got the challenge of HTTP Basic.
 */
export type CallbackRequest = {
  method: "GET" | "POST";
  url: string;
  headers: Record<string, string>;
  body: string;
  credentials?: string;
};

const CALLBACK_WITHIN_MS = 15_000;

/** Sends a callback on a new connection. */
function exchange({ method, url, headers, body }: CallbackRequest): Promise<{ status: number; challenge: string }> {
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(CALLBACK_WITHIN_MS);
    const sent = openRequest(url, { method, headers, agent: false, signal }, (response) => {
      response.resume();
      const challenge = response.headers["www-authenticate"] ?? "";
      response.on("end", () => resolve({ status: response.statusCode ?? 0, challenge }));
      response.on("error", reject);
    });
    sent.on("error", reject);
    sent.end(method === "GET" ? undefined : body);
  });
}

/** Sends a callback, again with its credentials after a challenge. @returns the status of the last response. */
export async function send(request: CallbackRequest): Promise<number> {
  const { status, challenge } = await exchange(request);
  const { credentials, headers } = request;
  if (credentials === undefined || status !== 401 || !/^basic /i.test(challenge)) return status;
  return (await exchange({ ...request, headers: { ...headers, authorization: credentials } })).status;
}
