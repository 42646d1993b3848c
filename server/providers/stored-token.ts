/** Access tokens of providers in the database: one process requests a token, and all of them use it. */
import { createHmac } from "node:crypto";
import { SECOND_MS } from "../core/clock";
import { pool } from "../core/db";
import { env, secretKeys } from "../core/env";
import { seal, unseal } from "../core/seal";
import { RENEW_BEFORE_MS, type TokenStore } from "./http/access-token";
import type { WireRequest } from "./port";
import type { ProviderId } from "./schema";

const PURPOSE = "access token";
/** A lease lasts this much longer than the token server's timeout. It ends, so that a killed process does not block the others. */
const LEASE_MARGIN_MS = 5 * SECOND_MS;

type Row = { isLeased: boolean; sealed: string | null; leftMs: number | null };

/** @throws Error when it was altered; a process that cannot read the token requests one for itself. */
const open = (sealed: string | null): string | null => (sealed === null ? null : unseal(secretKeys(), PURPOSE, sealed));

/** The stored token that a provider grants to a request. The database's clock decides when it expires. */
export function storedToken(provider: ProviderId, request: WireRequest): TokenStore {
  const id = createHmac("sha256", env().SECRET_KEY)
    .update(JSON.stringify([provider, request.url, request.headers, request.body]))
    .digest("base64url");
  return {
    take: async () => {
      // A row is leased if it is new, or expires soon and is not leased. Otherwise it is only read. A lease that would
      // outlast a new one by a minute was written before the database's clock was set back.
      const { rows } = await pool().query<Row>(
        `WITH leased AS (
           INSERT INTO provider_tokens AS t (id, provider, leased_until)
           VALUES ($1, $2, now() + $3::float8 * interval '1 millisecond')
           ON CONFLICT (id) DO UPDATE SET leased_until = excluded.leased_until
             WHERE (t.leased_until IS NULL OR t.leased_until <= now() OR t.leased_until > excluded.leased_until + interval '1 minute')
               AND (t.expires_at IS NULL OR t.expires_at <= now() + $4::float8 * interval '1 millisecond')
           RETURNING t.id
         )
         SELECT true AS "isLeased", NULL::text AS sealed, NULL::float8 AS "leftMs" FROM leased
         UNION ALL
         SELECT false, token_sealed, (extract(epoch FROM expires_at - now()) * 1000)::float8
         FROM provider_tokens WHERE id = $1 AND NOT EXISTS (SELECT FROM leased)`,
        [id, provider, env().PROVIDER_TIMEOUT_MS + LEASE_MARGIN_MS, RENEW_BEFORE_MS],
      );
      const row = rows[0];
      if (row?.isLeased) return { kind: "leased", token: null, leftMs: 0 };
      return { kind: "stored", token: open(row?.sealed ?? null), leftMs: row?.leftMs ?? 0 };
    },
    keep: async (token, lifetimeMs) => {
      await pool().query(
        `UPDATE provider_tokens SET token_sealed = $2, leased_until = NULL,
           expires_at = now() + $3::float8 * interval '1 millisecond'
         WHERE id = $1`,
        [id, seal(env().SECRET_KEY, PURPOSE, token), lifetimeMs],
      );
      // Deletes tokens of former credentials.
      await pool().query("DELETE FROM provider_tokens WHERE provider = $1 AND id <> $2 AND expires_at < now()", [
        provider,
        id,
      ]);
    },
    release: async () => {
      await pool().query("UPDATE provider_tokens SET leased_until = NULL WHERE id = $1", [id]);
    },
    drop: async (token) => {
      const { rows } = await pool().query<{ sealed: string | null }>(
        "SELECT token_sealed AS sealed FROM provider_tokens WHERE id = $1",
        [id],
      );
      const sealed = rows[0]?.sealed ?? null;
      if (open(sealed) !== token) return;
      await pool().query(
        "UPDATE provider_tokens SET token_sealed = NULL, expires_at = NULL WHERE id = $1 AND token_sealed = $2",
        [id, sealed],
      );
    },
  };
}
