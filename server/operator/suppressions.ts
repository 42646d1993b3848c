import { type Actor, requireOperator } from "../core/actor";
import { prisma } from "../core/db";
import { readPage, toPage } from "../core/wire";
import { readTotal } from "../lists/store";
import { presentSuppression } from "./present";
import type { ListSuppressionsQuery } from "./schema";

/**
 * Numbers that accounts must not send to, of all accounts, newest first; those that begin with the digits of `number`, or
 * all of them. @throws 403 for whoever is no operator.
 */
export async function listSuppressions(actor: Actor, input: ListSuppressionsQuery) {
  requireOperator(actor);
  const asked = input.number?.trim() ?? "";
  const digits = asked.replace(/\D/g, "");
  // Somebody who looks for what holds no digit looks for nothing that is here.
  const where = asked === "" ? {} : { number: digits === "" ? "" : { startsWith: `+${digits}` } };
  const { rows, total } = await readPage(
    input,
    () => (asked === "" ? readTotal("suppressions", {}) : prisma().suppression.count({ where })),
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
