import { serveReceipt } from "@/server/api/receipts";

export const dynamic = "force-dynamic";

/** The edge for receipts where Next is served without the web process. */
async function handle(request: Request): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  const { status, headers } = await serveReceipt({
    method: request.method,
    url: pathname + search,
    headers: Object.fromEntries(request.headers),
    // The peer's address is not known here, so an allowlist refuses everybody.
    peer: "",
    readBody: async () => Buffer.from(await request.arrayBuffer()),
  });
  return new Response(null, { status, headers });
}

export { handle as GET, handle as POST };
