import { cachedRead } from "../core/cached-read";
import { pool } from "../core/db";
import { providerTable } from "../providers/registry";
import { chooseRoute, orderChain, type Route } from "./choose";
import { weighRoute } from "./weigh";

/** A changed route or price holds everywhere within this time. */
const ROUTES_FRESH_MS = 1_000;

async function readRoutes(): Promise<Route[]> {
  const { rows } = await pool().query<Route>({
    name: "routing.active",
    text: `SELECT id, prefix, priority, chain, price_micros AS "priceMicros", weight FROM routes WHERE is_active ORDER BY id`,
  });
  return rows;
}

const activeRoutes = cachedRead("routing.active", ROUTES_FRESH_MS, readRoutes);

/** Where a message goes: the providers to try in order, and the price of one segment in micro-units. */
export type Routing = { routeId: number; chain: string[]; priceMicros: bigint };

/** What a caller may ask for. `provider` must be routable, which the caller of this function checks. */
export type RoutingWish = { routeId: number | null; provider: string | null };

/** Whether `routeId` names an active route. */
export const routeExists = async (routeId: number): Promise<boolean> =>
  (await activeRoutes.get()).some((route) => route.id === routeId);

/** Returns a function that routes numbers by one reading of the table; null: no route leads there. */
export async function loadRouting(wish: RoutingWish): Promise<(to: string) => Routing | null> {
  const [active, table] = await Promise.all([activeRoutes.get(), providerTable()]);
  const allowed = wish.routeId === null ? active : active.filter((route) => route.id === wish.routeId);
  const usable = allowed.map((route) => weighRoute(route, table));
  return (to) => {
    const route = chooseRoute(usable, to, Math.random());
    return (
      route && { routeId: route.id, chain: orderChain(route.chain, wish.provider), priceMicros: route.priceMicros }
    );
  };
}
