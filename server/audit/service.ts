/** Reads the audit log. */
import { type Actor, requireOperator, type SessionActor } from "../core/actor";
import { readPool } from "../core/db";
import { readPage, toPage } from "../core/wire";
import { type AuditRow, presentAudit } from "./present";
import type { ListAuditQuery, OperatorAuditQuery } from "./schema";

/** Entries are counted up to this number: a log of years has millions, and no reader pages through them. */
const COUNTED_MAX = 10_000;

/** SQL: a condition, and the columns that come before the id in the order of its index. */
type Filter = { text: string; values: string[]; order?: string };

const filterOf = (parts: readonly (Filter | null)[]): Required<Filter> => {
  const given = parts.filter((part) => part !== null);
  const values = given.flatMap((part) => part.values);
  let at = 0;
  // Each `?` is the next value.
  const text = given.map((part) => part.text.replaceAll("?", () => `$${++at}`)).join(" AND ");
  const order = given.map((part) => part.order ?? "").join("");
  return { text: text === "" ? "true" : text, values, order: `${order}id DESC` };
};

async function readEntries(filter: Required<Filter>, query: ListAuditQuery, forOperator: boolean) {
  const { rows, total } = await readPage(
    query,
    async () => {
      const counted = await readPool().query<{ n: number }>(
        `SELECT count(*)::int AS n FROM (SELECT 1 FROM audit_entries WHERE ${filter.text} LIMIT ${COUNTED_MAX}) counted`,
        filter.values,
      );
      return counted.rows[0]?.n ?? 0;
    },
    async (skip) => {
      const read = await readPool().query<AuditRow>(
        `WITH shown AS (
           SELECT * FROM audit_entries WHERE ${filter.text} ORDER BY ${filter.order} LIMIT ${query.limit} OFFSET ${skip}
         )
         SELECT e.id, e.account_id AS "accountId", e.actor_kind AS "actorKind", e.actor_id AS "actorId",
           coalesce(u.email, k.name) AS "actorName", e.action, e.subject_id AS "subjectId", e.address,
           e.user_agent AS "userAgent", e.before, e.after, e.is_test AS "isTest", e.created_at AS "createdAt"
         FROM shown e LEFT JOIN users u ON u.id = e.actor_id LEFT JOIN api_keys k ON k.id = e.actor_id
         ORDER BY e.id DESC`,
        filter.values,
      );
      return read.rows;
    },
  );
  return toPage(
    rows.map((row) => presentAudit(row, forOperator)),
    total,
    query,
  );
}

/**
 * SQL: a column that has a value, as a list of one. The planner would drop a column that is equal to a constant from the order, and walk through the
 * entries of all accounts in that of the primary key.
 */
const isOne = (column: string, value: string): Filter => ({
  text: `${column} = ANY(ARRAY[?::text])`,
  values: [value],
  order: `${column} DESC, `,
});

const ofAction = ({ action }: ListAuditQuery): Filter | null => (action ? isOne("action", action) : null);

/** Entries about the person's account, newest first; `total` counts up to 10,000. */
export async function listAudit(actor: SessionActor, query: ListAuditQuery) {
  return readEntries(filterOf([isOne("account_id", actor.accountId), ofAction(query)]), query, false);
}

/**
 * Everything that was recorded, newest first; `total` counts up to 10,000.
 * @throws 403 for non-operators.
 */
export async function listAllAudit(actor: Actor, query: OperatorAuditQuery) {
  requireOperator(actor);
  const search = query.search
    ? {
        text: "(account_id = ? OR actor_id = ? OR subject_id = ?)",
        values: [query.search, query.search, query.search],
      }
    : null;
  return readEntries(filterOf([search, ofAction(query)]), query, true);
}
