/** Pages of an account's senders, newest first. */
import type { Sender as SenderRow } from "@/prisma/generated/client";
import { readPool } from "../core/db";
import type { RowRange } from "../lists/read-list";

type SenderFilter = { accountId: string; status?: string | undefined };

const COLUMNS = `id, account_id AS "accountId", sender_id AS "senderId", type, country_code AS "countryCode", status,
  status_note AS "statusNote", status_reason AS "statusReason", max_segments_per_second AS "maxSegmentsPerSecond",
  approved_at AS "approvedAt", created_at AS "createdAt", dlt_entity_id AS "dltEntityId", dlt_template_id AS "dltTemplateId",
  dlt_template_category AS "dltTemplateCategory"`;

/**
 * SQL: the senders of the account `$1` with the status `$2`; null: any. An account has few, so all of them are read by its index
 * (OFFSET 0): by the primary key or the status the planner would walk through those of other accounts.
 */
const SELECTED = `(SELECT * FROM senders WHERE account_id = $1 OFFSET 0) own WHERE ($2::text IS NULL OR status = $2)`;

/** How many senders pass the filter. */
export async function countSenders({ accountId, status }: SenderFilter): Promise<number> {
  const { rows } = await readPool().query<{ n: number }>({
    name: "senders.count",
    text: `SELECT count(*)::int4 AS n FROM ${SELECTED}`,
    values: [accountId, status ?? null],
  });
  return rows[0]?.n ?? 0;
}

/** A page of the senders that pass the filter. */
export async function readSenders({ accountId, status }: SenderFilter, range: RowRange): Promise<SenderRow[]> {
  const { rows } = await readPool().query<SenderRow>({
    name: "senders.page",
    text: `SELECT ${COLUMNS} FROM ${SELECTED} AND ($3::text IS NULL OR id < $3) ORDER BY id DESC LIMIT $4 OFFSET $5`,
    values: [accountId, status ?? null, range.before ?? null, range.take, range.skip],
  });
  return rows;
}
