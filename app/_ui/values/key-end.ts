import type { ApiKeyDetail } from "@/server/api-keys/schema";

type Key = Pick<ApiKeyDetail, "is_active" | "revoked_at" | "expires_at">;

/** How a key ended first; null: it still works. A revoked key does not become expired later. */
export function endOf({ is_active, revoked_at, expires_at }: Key): "revoked" | "expired" | null {
  if (is_active) return null;
  if (revoked_at === null) return "expired";
  return expires_at !== null && Date.parse(expires_at) <= Date.parse(revoked_at) ? "expired" : "revoked";
}
