/** Simulates the routing of a number for operators, with the same rule that routes messages. */
import { type Actor, requireOperator } from "../core/actor";
import { prisma } from "../core/db";
import { fromMicros } from "../core/wire";
import { type ProviderTable, providerTable } from "../providers/registry";
import { chooseRoute, type Route } from "./choose";
import type { ChainLink, RouteSimulation, SimulatedRoute, SimulateRouteInput } from "./schema";
import { weighRoute } from "./weigh";

/** Number of evenly spread random values with which the rule is called; the precision of shares. */
const SAMPLES = 1_000;

type Candidate = { route: Route; links: ChainLink[]; weighed: Route };

function candidateOf(route: Route, table: ProviderTable): Candidate {
  const links = route.chain.map((provider): ChainLink => {
    const state = table.stateOf(provider);
    if (!state || !table.isRoutable(provider)) return { provider, status: "not_configured" };
    if (state.isDrained) return { provider, status: "drained" };
    return { provider, status: table.isUnavailable(provider) ? "open" : "usable" };
  });
  return { route, links, weighed: weighRoute(route, table) };
}

/** Share of messages that each route gets, 0..1, by its id. */
function sharesOf(routes: readonly Route[], to: string): Map<number, number> {
  const taken = new Map<number, number>();
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    const id = chooseRoute(routes, to, sample / SAMPLES)?.id;
    if (id !== undefined) taken.set(id, (taken.get(id) ?? 0) + 1);
  }
  return new Map([...taken].map(([id, count]) => [id, count / SAMPLES]));
}

/** The routes in rank order: each is the rule's choice once the previous ones are removed. */
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
 * The active routes that match `to`: first the usable ones by rank, then those without any configured provider. Unavailable
 * providers stay in the chain: a message without an alternative waits for them.
 * @throws 403 unless the actor is an operator.
 */
export async function simulateRoute(actor: Actor, { to }: SimulateRouteInput): Promise<RouteSimulation> {
  requireOperator(actor);
  const [rows, table] = await Promise.all([
    prisma().route.findMany({ where: { isActive: true }, orderBy: { id: "asc" } }),
    providerTable(),
  ]);
  const matching = rows.filter(({ prefix }) => to.slice(1).startsWith(prefix)).map((row) => candidateOf(row, table));
  const weighed = matching.map((candidate) => candidate.weighed);
  const places = new Map(ranked(weighed, to).map((route, place) => [route.id, place]));
  const shares = sharesOf(weighed, to);
  const placeOf = ({ route }: Candidate) => places.get(route.id) ?? places.size;
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
