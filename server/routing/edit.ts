/** Changes of the route table by operators. They hold everywhere within a second. */
import { type Actor, nameOf, requireOperator } from "../core/actor";
import { prisma } from "../core/db";
import { notFound } from "../core/errors";
import { log } from "../core/log";
import { toMicros } from "../core/wire";
import { presentRoute } from "./present";
import type { CreateRouteInput, OperatedRoute, RoutePath, UpdateRouteInput } from "./schema";

const noSuchRoute = () => notFound("There is no such route.", { param: "id" });

const rowOf = ({ price, is_active, ...fields }: Omit<UpdateRouteInput, "id">) => ({
  ...fields,
  ...(price !== undefined && { priceMicros: toMicros(price) }),
  ...(is_active !== undefined && { isActive: is_active }),
});

/** All routes by prefix, then by priority. @throws 403 unless the actor is an operator. */
export async function listRoutes(actor: Actor): Promise<OperatedRoute[]> {
  requireOperator(actor);
  const rows = await prisma().route.findMany({ orderBy: [{ prefix: "asc" }, { priority: "asc" }, { id: "asc" }] });
  return rows.map(presentRoute);
}

/** @throws 403 unless the actor is an operator. */
export async function createRoute(actor: Actor, input: CreateRouteInput): Promise<OperatedRoute> {
  requireOperator(actor);
  const { price, is_active, ...fields } = input;
  const row = await prisma().route.create({
    data: { ...fields, priceMicros: toMicros(price), isActive: is_active },
  });
  log("info", "route.created", { route_id: row.id, by: nameOf(actor) });
  return presentRoute(row);
}

/** Changes the given fields of a route. Accepted messages keep their price. @throws 403, 404 */
export async function updateRoute(actor: Actor, { id, ...input }: UpdateRouteInput): Promise<OperatedRoute> {
  requireOperator(actor);
  const [row] = await prisma().route.updateManyAndReturn({ where: { id }, data: rowOf(input) });
  if (!row) throw noSuchRoute();
  log("info", "route.updated", { route_id: id, fields: Object.keys(input), by: nameOf(actor) });
  return presentRoute(row);
}

/** Deletes a route; messages keep the id of the route that they took. @throws 403, 404 */
export async function deleteRoute(actor: Actor, { id }: RoutePath): Promise<void> {
  requireOperator(actor);
  const { count } = await prisma().route.deleteMany({ where: { id } });
  if (count === 0) throw noSuchRoute();
  log("info", "route.deleted", { route_id: id, by: nameOf(actor) });
}
