import type { ProviderTable } from "../providers/registry";
import type { Route } from "./choose";

/** What a held provider's routes keep of their weight: next to nothing, so that others of the same rank are taken. */
const UNAVAILABLE_SHARE = 0.001;

/**
 * A route as messages meet it now: without providers that have no settings, and with less weight when its first one is
 * failing, slow or held.
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
