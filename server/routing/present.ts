import type { Route as RouteRow } from "@/prisma/generated/client";
import { fromMicros } from "../core/wire";
import type { OperatedRoute } from "./schema";

/** Row -> wire, for operators only. */
export const presentRoute = (row: RouteRow): OperatedRoute => ({
  id: row.id,
  prefix: row.prefix,
  priority: row.priority,
  chain: row.chain,
  price: fromMicros(row.priceMicros),
  weight: row.weight,
  is_active: row.isActive,
  created_at: row.createdAt.toISOString(),
});
