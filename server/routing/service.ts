import { pool } from "../core/db";
import { perProcess } from "../core/process";
import { isRoutable } from "../providers/registry";
import { chooseRoute, orderChain, type Route } from "./choose";

/** A changed route or price holds everywhere within this time. */
const ROUTES_FRESH_MS = 1_000;

type RouteTable = { readAt: number; reading: Promise<Route[]> | null; routes: Route[] };

const table = () => perProcess<RouteTable>("routing.table", () => ({ readAt: 0, reading: null, routes: [] }));

async function readRoutes(): Promise<Route[]> {
  const { rows } = await pool().query<Route>({
    name: "routing.active",
    text: `SELECT id, prefix, priority, chain, price_micros AS "priceMicros", weight FROM routes WHERE is_active ORDER BY id`,
  });
  return rows;
}

/** The active routes, at most {@link ROUTES_FRESH_MS} old; concurrent callers share one read. */
async function activeRoutes(): Promise<Route[]> {
  const cache = table();
  if (Date.now() - cache.readAt < ROUTES_FRESH_MS) return cache.routes;
  cache.reading ??= readRoutes()
    .then((routes) => {
      cache.routes = routes;
      cache.readAt = Date.now();
      return routes;
    })
    .finally(() => {
      cache.reading = null;
    });
  return cache.reading;
}

/** Where a message goes: the providers to try in order, and the price of one segment in micro-units. */
export type Routing = { routeId: number; chain: string[]; priceMicros: bigint };

/** What a caller may ask for. `provider` must be routable, which the caller of this function checks. */
export type RoutingWish = { routeId: number | null; provider: string | null };

/** Whether `routeId` names an active route. */
export const routeExists = async (routeId: number): Promise<boolean> =>
  (await activeRoutes()).some((route) => route.id === routeId);

/** Returns a function that routes numbers by one reading of the table; null: no route leads there. */
export async function openRouting(wish: RoutingWish): Promise<(to: string) => Routing | null> {
  const active = await activeRoutes();
  const allowed = wish.routeId === null ? active : active.filter((route) => route.id === wish.routeId);
  const usable = allowed.map((route) => ({ ...route, chain: route.chain.filter(isRoutable) }));
  return (to) => {
    const route = chooseRoute(usable, to, Math.random());
    return (
      route && { routeId: route.id, chain: orderChain(route.chain, wish.provider), priceMicros: route.priceMicros }
    );
  };
}
