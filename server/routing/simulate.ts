/** Tells operators what the route table would do with a number, by asking the very rule that routes messages. */
import { type Actor, requireOperator } from "../core/actor";
import { prisma } from "../core/db";
import { fromMicros } from "../core/wire";
import { type ProviderTable, providerTable } from "../providers/registry";
import { chooseRoute, type Route } from "./choose";
import type { ChainLink, RouteSimulation, SimulatedRoute, SimulateRouteInput } from "./schema";
import { weighRoute } from "./weigh";

/** Evenly spread chances with which the rule is asked; shares are told to this precision. */
const CHANCES = 1_000;

type Judged = { route: Route; links: ChainLink[]; weighed: Route };

function judge(route: Route, table: ProviderTable): Judged {
  const links = route.chain.map((provider): ChainLink => {
    const state = table.stateOf(provider);
    if (!state || !table.isRoutable(provider)) return { provider, status: "not_configured" };
    if (state.isDrained) return { provider, status: "drained" };
    return { provider, status: table.isUnavailable(provider) ? "open" : "usable" };
  });
  return { route, links, weighed: weighRoute(route, table) };
}

/** How often each route is taken, 0..1, by its id. */
function sharesOf(routes: readonly Route[], to: string): Map<number, number> {
  const taken = new Map<number, number>();
  for (let chance = 0; chance < CHANCES; chance += 1) {
    const id = chooseRoute(routes, to, chance / CHANCES)?.id;
    if (id !== undefined) taken.set(id, (taken.get(id) ?? 0) + 1);
  }
  return new Map([...taken].map(([id, count]) => [id, count / CHANCES]));
}

/** The routes in the order in which the rule takes them when those before are gone. */
function ranked(routes: readonly Route[], to: string): Route[] {
  const order: Route[] = [];
  let left = [...routes];
  for (let next = chooseRoute(left, to, 0); next; next = chooseRoute(left, to, 0)) {
    const { id } = next;
    order.push(next);
    left = left.filter((route) => route.id !== id);
  }
  return order;
}

/**
 * The active routes that `to` matches: first those that could take it, as they rank, then those without any provider
 * that has settings. Drained and paused providers stay in their route: a message that meets nobody else waits for them.
 * @throws 403 for whoever is no operator.
 */
export async function simulateRoute(actor: Actor, { to }: SimulateRouteInput): Promise<RouteSimulation> {
  requireOperator(actor);
  const [rows, table] = await Promise.all([
    prisma().route.findMany({ where: { isActive: true }, orderBy: { id: "asc" } }),
    providerTable(),
  ]);
  const matching = rows.filter(({ prefix }) => to.slice(1).startsWith(prefix)).map((row) => judge(row, table));
  const weighed = matching.map((judged) => judged.weighed);
  const places = new Map(ranked(weighed, to).map((route, place) => [route.id, place]));
  const shares = sharesOf(weighed, to);
  const placeOf = ({ route }: Judged) => places.get(route.id) ?? places.size;
  const routes = matching
    .toSorted((one, other) => placeOf(one) - placeOf(other))
    .map(
      ({ route, links }): SimulatedRoute => ({
        id: route.id,
        prefix: route.prefix,
        priority: route.priority,
        weight: route.weight,
        price: fromMicros(route.priceMicros),
        share: shares.get(route.id) ?? 0,
        chain: links,
      }),
    );
  return { to, routes };
}
