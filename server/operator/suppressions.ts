import type { Suppression as SuppressionRow } from "@/prisma/generated/client";
import { type Actor, requireOperator } from "../core/actor";
import { readPool, readPrisma } from "../core/db";
import { TEST_ACCOUNT_PREFIX } from "../core/ids";
import { readPage, toPage } from "../core/wire";
import { readTotal } from "../lists/store";
import { accountName } from "../members/present";
import { presentSuppression } from "./present";
import type { ListSuppressionsQuery } from "./schema";

/** Found suppressions are counted up to this number, because the digits of a country find all of its suppressions. */
const COUNTED_MAX = 10_000;

const COLUMNS = `id, account_id AS "accountId", number, sender_id AS "senderId", reason, note, created_at AS "createdAt"`;

/**
 * SQL: the live suppressions whose numbers begin with `$1`, in the index by number. Uses bounds instead of LIKE, because a plan
 * for any pattern cannot use its index; `:` follows the digits.
 */
const FOUND = `FROM suppressions WHERE number ~>=~ $1 AND number ~<~ ($1 || ':') AND NOT starts_with(account_id, $2)`;

async function countFound(start: string): Promise<number> {
  const { rows } = await readPool().query<{ n: number }>({
    name: "operator.count_suppressions",
    text: `SELECT count(*)::int4 AS n FROM (SELECT 1 ${FOUND} LIMIT $3) counted`,
    values: [start, TEST_ACCOUNT_PREFIX, COUNTED_MAX],
  });
  return rows[0]?.n ?? 0;
}

/**
 * First ordered only by the number, as its index is: with the id as well, outdated statistics would lead to a sort of all found
 * rows.
 */
async function readFound(start: string, take: number, skip: number): Promise<SuppressionRow[]> {
  const { rows } = await readPool().query<SuppressionRow>({
    name: "operator.suppressions",
    text: `SELECT ${COLUMNS} FROM (SELECT * ${FOUND} ORDER BY number USING ~<~ FETCH FIRST ($3::int8 + $4::int8) ROWS WITH TIES) found
           ORDER BY number USING ~<~, id DESC LIMIT $3 OFFSET $4`,
    values: [start, TEST_ACCOUNT_PREFIX, take, skip],
  });
  return rows;
}

/**
 * Suppressions of all accounts, newest first; or those of numbers that begin with the digits of `number`, in the order of
 * numbers; `total` counts up to 10,000.
 * @throws 403 for non-operators.
 */
export async function listSuppressions(actor: Actor, input: ListSuppressionsQuery) {
  requireOperator(actor);
  const search = input.number?.trim() ?? "";
  const digits = search.replace(/\D/g, "");
  // A search without digits matches no number.
  if (search !== "" && digits === "") return toPage([], 0, input);
  const start = `+${digits}`;
  const where = { NOT: { accountId: { startsWith: TEST_ACCOUNT_PREFIX } } };
  const { rows, total } = await readPage(
    input,
    () => (search === "" ? readTotal("suppressions", { isLive: true }) : countFound(start)),
    (skip) =>
      search === ""
        ? readPrisma().suppression.findMany({ where, orderBy: { id: "desc" }, skip, take: input.limit })
        : readFound(start, input.limit, skip),
  );
  const accounts = await readPrisma().account.findMany({
    where: { id: { in: rows.map(({ accountId }) => accountId) } },
    select: { id: true, name: true, companyName: true },
  });
  const names = new Map(accounts.map((account) => [account.id, accountName(account)]));
  return toPage(
    rows.map((row) => presentSuppression(row, names.get(row.accountId) ?? "")),
    total,
    input,
  );
}
