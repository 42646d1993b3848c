import { cachedRead } from "../core/cached-read";
import { pool } from "../core/db";
import { isTestAccount } from "../core/ids";
import { providerTable } from "../providers/registry";
import { chooseRoute, orderChain, type Route } from "./choose";
import { type Reach, reachOf } from "./reach";
import { weighRoute } from "./weigh";

/** A changed route or price takes effect everywhere within this time. */
const ROUTES_FRESH_MS = 1_000;

async function readRoutes(): Promise<Route[]> {
  const { rows } = await pool().query<Route>({
    name: "routing.active",
    text: `SELECT id, prefix, priority, chain, price_micros AS "priceMicros", weight FROM routes WHERE is_active ORDER BY id`,
  });
  return rows;
}

const activeRoutes = cachedRead("routing.active", ROUTES_FRESH_MS, readRoutes);

/** The route of a message: the providers to try in order, and the price of one segment in micro-units. In test mode it may be none. */
export type Routing = { routeId: number | null; chain: string[]; priceMicros: bigint };

/** A caller's choice; null: none. The caller of {@link loadRouting} checks that `provider` is routable. */
export type RoutingWish = { routeId: number | null; provider: string | null };

/** Whether `routeId` names an active route. */
export const routeExists = async (routeId: number): Promise<boolean> =>
  (await activeRoutes.get()).some((route) => route.id === routeId);

/** The numbers that the active routes reach as their providers are now. */
export async function readReach(): Promise<Reach> {
  const [active, table] = await Promise.all([activeRoutes.get(), providerTable()]);
  return reachOf(active, table);
}

/**
 * @returns a function that routes numbers (E.164) by a single read of the table; it returns null if there is no route.
 */
export async function loadRouting(accountId: string, wish: RoutingWish): Promise<(to: string) => Routing | null> {
  // In test mode every number goes to the sandbox, and nothing has a price.
  if (isTestAccount(accountId)) return () => ({ routeId: wish.routeId, chain: ["sandbox"], priceMicros: 0n });
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
