import { pool } from "../core/db";
import { keepFresh } from "../core/fresh";
import { type ProviderTable, providerTable } from "../providers/registry";
import { chooseRoute, orderChain, type Route } from "./choose";

/** A changed route or price holds everywhere within this time. */
const ROUTES_FRESH_MS = 1_000;

async function readRoutes(): Promise<Route[]> {
  const { rows } = await pool().query<Route>({
    name: "routing.active",
    text: `SELECT id, prefix, priority, chain, price_micros AS "priceMicros", weight FROM routes WHERE is_active ORDER BY id`,
  });
  return rows;
}

const activeRoutes = keepFresh("routing.active", ROUTES_FRESH_MS, readRoutes);

/** Where a message goes: the providers to try in order, and the price of one segment in micro-units. */
export type Routing = { routeId: number; chain: string[]; priceMicros: bigint };

/** What a caller may ask for. `provider` must be routable, which the caller of this function checks. */
export type RoutingWish = { routeId: number | null; provider: string | null };

/** Whether `routeId` names an active route. */
export const routeExists = async (routeId: number): Promise<boolean> =>
  (await activeRoutes.get()).some((route) => route.id === routeId);

/** What a held provider's routes keep of their weight: next to nothing, so that others of the same rank are taken. */
const HELD_SHARE = 0.001;

/** A route's weight, less when its first provider is failing, slow or held. */
function effectiveWeight({ chain, weight }: Route, table: ProviderTable): number {
  const first = chain[0] ?? "";
  return weight * (table.isHeld(first) ? HELD_SHARE : (table.stateOf(first)?.health ?? 1));
}

/** Returns a function that routes numbers by one reading of the table; null: no route leads there. */
export async function openRouting(wish: RoutingWish): Promise<(to: string) => Routing | null> {
  const [active, table] = await Promise.all([activeRoutes.get(), providerTable()]);
  const allowed = wish.routeId === null ? active : active.filter((route) => route.id === wish.routeId);
  const usable = allowed.map((route) => {
    const chain = route.chain.filter(table.isRoutable);
    return { ...route, chain, weight: effectiveWeight({ ...route, chain }, table) };
  });
  return (to) => {
    const route = chooseRoute(usable, to, Math.random());
    return (
      route && { routeId: route.id, chain: orderChain(route.chain, wish.provider), priceMicros: route.priceMicros }
    );
  };
}
