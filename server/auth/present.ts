import type { Passkey } from "./passkey-schema";
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

/** Columns of a passkey for its presentation. */
export type PasskeyRow = {
  id: string;
  name: string;
  rpId: string;
  isSynced: boolean;
  createdAt: Date;
  lastUsedAt: Date | null;
};

/** Row -> wire. @param host at which passkeys are used now; null: at none. */
export const presentPasskey = (row: PasskeyRow, host: string | null): Passkey => ({
  id: row.id,
  object: "passkey",
  name: row.name,
  is_synced: row.isSynced,
  other_host: row.rpId === host ? null : row.rpId,
  created_at: row.createdAt.toISOString(),
  last_used_at: row.lastUsedAt?.toISOString() ?? null,
});
