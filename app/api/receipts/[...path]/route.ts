import { serveReceipt } from "@/server/api/receipts";

export const dynamic = "force-dynamic";

/** The receipts' edge where there is no web process of ours before Next. */
async function handle(request: Request): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  const { status, headers } = await serveReceipt({
    method: request.method,
    url: pathname + search,
    headers: Object.fromEntries(request.headers),
    // It is not known here, so an allowlist refuses everybody.
    peer: "",
    readBody: async () => Buffer.from(await request.arrayBuffer()),
  });
  return new Response(null, { status, headers });
}

export { handle as GET, handle as POST };
