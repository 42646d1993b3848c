/** Moves stored secrets to the current SECRET_KEY, so that a former one can be retired. */
import type { AuditValues } from "../audit/schema";
import { recordAudit } from "../audit/store";
import { type Actor, nameOf, requireOperator } from "../core/actor";
import { pool, transaction } from "../core/db";
import { secretKeys } from "../core/env";
import { log } from "../core/log";
import { type SealPurpose, seal, unseal } from "../core/seal";

const READ_AT_ONCE = 500;

type Place = { table: string; key: string; column: string; purpose: SealPurpose };

/** Every column that holds sealed text for longer than a day. */
export const SEALED: readonly Place[] = [
  { table: "webhook_endpoints", key: "id", column: "secret_sealed", purpose: "webhook signing secret" },
  { table: "webhook_endpoints", key: "id", column: "previous_secret_sealed", purpose: "webhook signing secret" },
  { table: "providers", key: "id", column: "settings_sealed", purpose: "provider settings" },
  { table: "alert_settings", key: "account_id", column: "secret_sealed", purpose: "webhook signing secret" },
  { table: "mails", key: "id", column: "content_sealed", purpose: "mail" },
  { table: "provider_tokens", key: "id", column: "token_sealed", purpose: "access token" },
  { table: "second_factors", key: "user_id", column: "secret_sealed", purpose: "second factor" },
];

/**
 * Values of a column. `resealed`: were sealed with a former key; `current`: already with the present key; `lost`: with none of
 * the key ring, so left unchanged.
 */
export type Resealed = { column: string; resealed: number; current: number; lost: number };

function openedBy(keys: readonly string[], purpose: SealPurpose, sealed: string): string | null {
  try {
    return unseal(keys, purpose, sealed);
  } catch {
    return null;
  }
}

async function resealColumn({ table, key, column, purpose }: Place): Promise<Resealed> {
  const [present, ...former] = secretKeys();
  const counts = { column: `${table}.${column}`, resealed: 0, current: 0, lost: 0 };
  for (let last = ""; ; ) {
    const { rows } = await pool().query<{ id: string; sealed: string }>(
      `SELECT ${key} AS id, ${column} AS sealed FROM ${table} WHERE ${column} IS NOT NULL AND ${key} > $1
       ORDER BY ${key} LIMIT ${READ_AT_ONCE}`,
      [last],
    );
    for (const { id, sealed } of rows) {
      if (openedBy([present], purpose, sealed) !== null) {
        counts.current += 1;
        continue;
      }
      const secret = openedBy(former, purpose, sealed);
      if (secret === null) {
        counts.lost += 1;
        continue;
      }
      // A value replaced meanwhile was sealed with the present key.
      const { rowCount } = await pool().query(
        `UPDATE ${table} SET ${column} = $2 WHERE ${key} = $1 AND ${column} = $3`,
        [id, seal(present, purpose, secret), sealed],
      );
      if (rowCount === 1) counts.resealed += 1;
      else counts.current += 1;
    }
    const end = rows.at(-1);
    if (!end || rows.length < READ_AT_ONCE) return counts;
    last = end.id;
  }
}

/**
 * Reseals with SECRET_KEY every stored secret that a key of SECRET_KEY_PREVIOUS sealed. Can be repeated, even after an
 * interruption; processes that know both keys continue to work meanwhile.
 * @throws 403 for non-operators.
 */
export async function resealSecrets(actor: Actor): Promise<Resealed[]> {
  requireOperator(actor);
  const columns: Resealed[] = [];
  for (const place of SEALED) columns.push(await resealColumn(place));
  const after: AuditValues = Object.fromEntries(columns.map(({ column, resealed }) => [column, resealed]));
  await transaction((tx) => recordAudit(tx, actor, { action: "secrets.resealed", accountId: null, after }));
  log("info", "secrets.resealed", { ...after, by: nameOf(actor) });
  return columns;
}
