/** The REST edge as a fetch handler. */
import { namedPeer } from "../auth/sign-in/caller-address";
import { API_PREFIX, BODY_MAX_BYTES, bodyTooLarge, serveRest } from "./rest";

/**
 * Serves a request where our own server is missing: under plain `next dev`, and on serverless hosts. The caller's address is unknown
 * there, so a key with an allowlist is refused.
 */
export async function handleRest(request: Request): Promise<Response> {
  const url = new URL(request.url);
  const { response } = await serveRest({
    method: request.method,
    path: url.pathname.slice(API_PREFIX.length),
    query: url.search.slice(1),
    header: (name) => request.headers.get(name) ?? undefined,
    peer: namedPeer((name) => request.headers.get(name)),
    readBody: async () => {
      const body = Buffer.from(await request.arrayBuffer());
      if (body.length > BODY_MAX_BYTES) throw bodyTooLarge();
      return body;
    },
  });
  const hasBody = response.status !== 204 && request.method !== "HEAD";
  return new Response(hasBody ? response.body : null, { status: response.status, headers: response.headers });
}
