import { checkHealth } from "@/server/api/health";

export const dynamic = "force-dynamic";

/** 200 while the process can do its work, 503 with the same body while it cannot. */
export async function GET(): Promise<Response> {
  const health = await checkHealth();
  return Response.json(health, {
    status: health.ok ? 200 : 503,
    headers: { "Cache-Control": "no-store" },
  });
}
