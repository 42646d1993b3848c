/** Changes of the route table by operators. They take effect everywhere within a second. */
import { createOnce, createOnceFor, OPERATORS } from "../accounts/idempotency/create-once";
import { type IdempotentRequest, isReplayed, plainRequest } from "../accounts/idempotency/request";
import type { AuditValues } from "../audit/schema";
import { recordAudit } from "../audit/store";
import { transactionBy } from "../auth/authority";
import { type Actor, nameOf, requireOperator } from "../core/actor";
import { prisma, type Tx } from "../core/db";
import { notFound } from "../core/errors";
import { log } from "../core/log";
import { toMicros } from "../core/wire";
import { presentRoute } from "./present";
import type { CreateRouteInput, OperatedRoute, RoutePath, UpdateRouteInput } from "./schema";

const noSuchRoute = () => notFound("There is no such route.", { param: "id" });

/** All routes by prefix, then by priority. @throws 403 unless the actor is an operator. */
export async function listRoutes(actor: Actor): Promise<OperatedRoute[]> {
  requireOperator(actor);
  const rows = await prisma().route.findMany({ orderBy: [{ prefix: "asc" }, { priority: "asc" }, { id: "asc" }] });
  return rows.map(presentRoute);
}

type Row = Parameters<typeof presentRoute>[0];

/** A route in the audit log. */
function auditOf(row: Row): AuditValues {
  const { prefix, priority, chain, price, weight, is_active } = presentRoute(row);
  return { prefix, priority, chain, price, weight, is_active };
}

const COLUMNS = `id, prefix, priority, chain, price_micros AS "priceMicros", weight, is_active AS "isActive",
  created_at AS "createdAt"`;

/** @throws 404 */
async function lockRoute(tx: Tx, id: number): Promise<Row> {
  const { rows } = await tx.query<Row>(`SELECT ${COLUMNS} FROM routes WHERE id = $1 FOR UPDATE`, [id]);
  if (!rows[0]) throw noSuchRoute();
  return rows[0];
}

const valuesOf = ({ prefix, priority, chain, price, weight, is_active }: Omit<OperatedRoute, "id" | "created_at">) => [
  prefix,
  priority,
  chain,
  toMicros(price),
  weight,
  is_active,
];

/**
 * A person's Idempotency-Key belongs to the account that they act in, a command's to all operators.
 * @throws 403 unless the actor is an operator.
 */
export async function createRoute(
  actor: Actor,
  input: CreateRouteInput,
  request: IdempotentRequest = plainRequest(),
): Promise<OperatedRoute> {
  requireOperator(actor);
  const carryOut = async (tx: Tx): Promise<OperatedRoute> => {
    const { rows } = await tx.query<Row>(
      `INSERT INTO routes (prefix, priority, chain, price_micros, weight, is_active) VALUES ($1, $2, $3, $4, $5, $6)
       RETURNING ${COLUMNS}`,
      valuesOf(input),
    );
    const [made] = rows;
    if (!made) throw new Error("The route was not inserted.");
    const change = { action: "route.created", accountId: null, subjectId: String(made.id) } as const;
    await recordAudit(tx, actor, { ...change, after: auditOf(made) });
    return presentRoute(made);
  };
  const route = await (actor.kind === "session"
    ? createOnce(actor, request, { whileSuspended: true, carryOut })
    : createOnceFor({ ...OPERATORS, actor }, request, { whileSuspended: true, carryOut }));
  if (!isReplayed(request)) log("info", "route.created", { route_id: route.id, by: nameOf(actor) });
  return route;
}

/** Changes the given fields of a route. Accepted messages keep their price. @throws 403, 404 */
export async function updateRoute(actor: Actor, { id, ...input }: UpdateRouteInput): Promise<OperatedRoute> {
  requireOperator(actor);
  const row = await transactionBy(actor, async (tx) => {
    const before = await lockRoute(tx, id);
    const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
    const { rows } = await tx.query<Row>(
      `UPDATE routes SET prefix = $1, priority = $2, chain = $3, price_micros = $4, weight = $5, is_active = $6
       WHERE id = $7 RETURNING ${COLUMNS}`,
      [...valuesOf({ ...presentRoute(before), ...given }), id],
    );
    const [after] = rows;
    if (!after) throw noSuchRoute();
    const change = { action: "route.updated", accountId: null, subjectId: String(id) } as const;
    await recordAudit(tx, actor, { ...change, before: auditOf(before), after: auditOf(after) });
    return after;
  });
  log("info", "route.updated", { route_id: id, fields: Object.keys(input), by: nameOf(actor) });
  return presentRoute(row);
}

/** Deletes a route; messages keep the id of the route that they took. @throws 403, 404 */
export async function deleteRoute(actor: Actor, { id }: RoutePath): Promise<void> {
  requireOperator(actor);
  await transactionBy(actor, async (tx) => {
    const before = await lockRoute(tx, id);
    await tx.query("DELETE FROM routes WHERE id = $1", [id]);
    const change = { action: "route.deleted", accountId: null, subjectId: String(id) } as const;
    await recordAudit(tx, actor, { ...change, before: auditOf(before) });
  });
  log("info", "route.deleted", { route_id: id, by: nameOf(actor) });
}
