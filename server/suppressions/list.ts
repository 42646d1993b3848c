/** Pages of an account's suppressions, newest first. */
import type { Suppression as SuppressionRow } from "@/prisma/generated/client";
import { readPool } from "../core/db";
import { type RowRange, within } from "../lists/read-list";

export type SuppressionFilter = { accountId: string; number?: string | undefined; senderId?: string | undefined };

const COLUMNS = `s.id, s.account_id AS "accountId", s.number, s.sender_id AS "senderId", s.reason, s.note,
  s.created_at AS "createdAt"`;

/** All suppressions of one number: two for each sender ID at most. They are found by their unique key. */
export async function findOfNumber({ accountId, number, senderId }: SuppressionFilter): Promise<SuppressionRow[]> {
  const { rows } = await readPool().query<SuppressionRow>({
    text: `SELECT ${COLUMNS} FROM suppressions s
           WHERE s.account_id = $1 AND s.number = $2 AND ($3::text IS NULL OR s.sender_id = $3)`,
    values: [accountId, number, senderId ?? null],
  });
  return rows.sort((one, other) => (one.id < other.id ? 1 : -1));
}

/**
 * A page of the suppressions that pass the filter. It is read by the index of the account, or of its sender: by the primary key
 * the planner would walk through newer rows of other accounts. Skipped rows are read only in the index.
 */
export async function readSuppressions(filter: SuppressionFilter, range: RowRange): Promise<SuppressionRow[]> {
  if (filter.number !== undefined) return within(await findOfNumber(filter), range);
  const values: unknown[] = [filter.accountId];
  const put = (value: unknown): string => `$${values.push(value)}`;
  const below = range.before === undefined ? "" : `AND id < ${put(range.before)}`;
  // Lists with one element instead of equalities: the planner would drop a column equal to a constant from the order.
  const isOfSender = filter.senderId !== undefined;
  const ofSender = isOfSender ? `AND sender_id = ANY(ARRAY[${put(filter.senderId)}::text]) AND sender_id <> ''` : "";
  const { rows } = await readPool().query<SuppressionRow>({
    text: `SELECT ${COLUMNS} FROM suppressions s
           WHERE s.id = ANY(ARRAY(SELECT id FROM suppressions WHERE account_id = ANY(ARRAY[$1::text]) ${ofSender} ${below}
             ORDER BY account_id DESC, ${isOfSender ? "sender_id DESC, " : ""}id DESC
             LIMIT ${put(range.take)} OFFSET ${put(range.skip)}))
           ORDER BY s.id DESC`,
    values,
  });
  return rows;
}
