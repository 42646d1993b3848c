import type { Session } from "./schema";

/** Columns of a session for its presentation. */
export type SessionRow = {
  id: string;
  address: string;
  device: string;
  createdAt: Date;
  lastSeenAt: Date;
  expiresAt: Date;
};

/** Row -> wire. @param currentId the session that asks, if one does. */
export const presentSession = (row: SessionRow, currentId: string | undefined): Session => ({
  id: row.id,
  object: "session",
  device: row.device,
  address: row.address === "" ? null : row.address,
  is_current: row.id === currentId,
  created_at: row.createdAt.toISOString(),
  last_seen_at: row.lastSeenAt.toISOString(),
  expires_at: row.expiresAt.toISOString(),
});
