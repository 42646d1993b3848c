/** Reads the audit log. */
import { type Actor, requireOperator, type SessionActor } from "../core/actor";
import { readPool } from "../core/db";
import { readPage, toPage } from "../core/wire";
import { type AuditRow, presentAudit } from "./present";
import type { ListAuditQuery, OperatorAuditQuery } from "./schema";

/** Entries are counted up to this number: a log of years has millions, and no reader pages through them. */
const COUNTED_MAX = 10_000;

/**
 * SQL: a condition in which each `?` stands for the next value, and the columns that come before the id in the order of its index.
 */
type Filter = { text: string; values: string[]; order?: string };

const filterOf = (parts: readonly (Filter | null)[]): Required<Filter> => {
  const given = parts.filter((part) => part !== null);
  const text = given.map((part) => part.text).join(" AND ");
  const order = given.map((part) => part.order ?? "").join("");
  return {
    text: text === "" ? "true" : text,
    values: given.flatMap((part) => part.values),
    order: `${order}id DESC`,
  };
};

const numbered = (text: string): string => {
  let at = 0;
  return text.replaceAll("?", () => `$${++at}`);
};

async function readEntries(filter: Required<Filter>, query: ListAuditQuery, forOperator: boolean) {
  const where = numbered(filter.text);
  const { rows, total } = await readPage(
    query,
    async () => {
      const counted = await readPool().query<{ n: number }>(
        `SELECT count(*)::int AS n FROM (SELECT 1 FROM audit_entries WHERE ${where} LIMIT ${COUNTED_MAX}) counted`,
        filter.values,
      );
      return counted.rows[0]?.n ?? 0;
    },
    async (skip) => {
      const read = await readPool().query<AuditRow>(
        `WITH shown AS (
           SELECT * FROM audit_entries WHERE ${where} ORDER BY ${filter.order} LIMIT ${query.limit} OFFSET ${skip}
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
 * The newest entries whose account, actor or subject has the id `search`. Each of the three is read in its own index, up to the
 * number that is counted: one OR would read the whole log.
 */
function ofId(search: string, action: Filter | null): Filter {
  const branches = ["account_id", "actor_id", "subject_id"].map((column) => {
    // Only an account's entries have an index by action.
    const ofColumn = action && column !== "account_id" ? { text: action.text, values: action.values } : action;
    const { text, values, order } = filterOf([isOne(column, search), ofColumn]);
    return { values, text: `(SELECT id FROM audit_entries WHERE ${text} ORDER BY ${order} LIMIT ${COUNTED_MAX})` };
  });
  return {
    text: `id = ANY(ARRAY(${branches.map(({ text }) => text).join(" UNION ")}))`,
    values: branches.flatMap(({ values }) => values),
  };
}

/**
 * Everything that was recorded, newest first; `total` counts up to 10,000.
 * @throws 403 for non-operators.
 */
export async function listAllAudit(actor: Actor, query: OperatorAuditQuery) {
  requireOperator(actor);
  return readEntries(filterOf([query.search ? ofId(query.search, ofAction(query)) : ofAction(query)]), query, true);
}
