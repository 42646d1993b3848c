import type { ProviderTable } from "../providers/registry";
import type { Route } from "./choose";

/**
 * Share of its weight that a route keeps while its first provider is unavailable: others of the same rank get the rest.
 */
const UNAVAILABLE_SHARE = 0.001;

/**
 * A route adjusted to the current state of its providers: without unconfigured ones, and with less weight if its first one is
 * failing, slow or unavailable.
 */
export function weighRoute(
  route: Route,
  table: Pick<ProviderTable, "isRoutable" | "isUnavailable" | "stateOf">,
): Route {
  const chain = route.chain.filter(table.isRoutable);
  const first = chain[0] ?? "";
  const share = table.isUnavailable(first) ? UNAVAILABLE_SHARE : (table.stateOf(first)?.health ?? 1);
  return { ...route, chain, weight: route.weight * share };
}
