import { readFile } from "node:fs/promises";
import path from "node:path";

// Read at build time and served as a static file.
export const dynamic = "force-static";

const SCRIPT = path.join("node_modules", "@scalar", "fastify-api-reference", "dist", "js", "standalone.js");

/** Scalar's bundle, which renders the API reference, served from our own origin. */
export async function GET(): Promise<Response> {
  const body = await readFile(path.join(process.cwd(), SCRIPT), "utf8");
  return new Response(body, {
    headers: { "content-type": "text/javascript; charset=utf-8", "cache-control": "public, max-age=86400" },
  });
}
