import { type Actor, requireOperator } from "../core/actor";
import { prisma } from "../core/db";
import { TEST_ACCOUNT_PREFIX } from "../core/ids";
import { readPage, toPage } from "../core/wire";
import { readTotal } from "../lists/store";
import { presentSuppression } from "./present";
import type { ListSuppressionsQuery } from "./schema";

/**
 * Suppressions of all accounts, newest first, optionally only of numbers that begin with the digits of `number`.
 * @throws 403 for non-operators.
 */
export async function listSuppressions(actor: Actor, input: ListSuppressionsQuery) {
  requireOperator(actor);
  const search = input.number?.trim() ?? "";
  const digits = search.replace(/\D/g, "");
  // A search without digits matches no number.
  const where = {
    NOT: { accountId: { startsWith: TEST_ACCOUNT_PREFIX } },
    ...(search !== "" && { number: digits === "" ? "" : { startsWith: `+${digits}` } }),
  };
  const { rows, total } = await readPage(
    input,
    () => (search === "" ? readTotal("suppressions", { isLive: true }) : prisma().suppression.count({ where })),
    (skip) => prisma().suppression.findMany({ where, orderBy: { id: "desc" }, skip, take: input.limit }),
  );
  const accounts = await prisma().account.findMany({
    where: { id: { in: rows.map(({ accountId }) => accountId) } },
    select: { id: true, name: true },
  });
  const names = new Map(accounts.map(({ id, name }) => [id, name]));
  return toPage(
    rows.map((row) => presentSuppression(row, names.get(row.accountId) ?? "")),
    total,
    input,
  );
}
