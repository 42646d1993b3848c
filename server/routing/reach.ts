import type { ProviderTable } from "../providers/registry";
import type { Route } from "./choose";

/** The numbers that the routes reach as their providers are now. `waiting`: prefixes to which messages wait, sorted; "" is every other number. */
export type Reach = { isAnyConfigured: boolean; waiting: string[] };

/** The routes of one prefix among which its messages are shared out: those of the lowest priority number. */
function inUse(routes: readonly Route[]): Route[] {
  const first = Math.min(...routes.map(({ priority }) => priority));
  const best = routes.filter(({ priority }) => priority === first);
  const weighted = best.filter(({ weight }) => weight > 0);
  return weighted.length > 0 ? weighted : best;
}

/** @param routes the active ones. */
export function reachOf(
  routes: readonly Route[],
  { isRoutable, isUnavailable }: Pick<ProviderTable, "isRoutable" | "isUnavailable">,
): Reach {
  const configured = routes
    .map((route): Route => ({ ...route, chain: route.chain.filter(isRoutable) }))
    .filter(({ chain }) => chain.length > 0);
  const waiting = [...new Set(configured.map(({ prefix }) => prefix))].filter((prefix) =>
    inUse(configured.filter((route) => route.prefix === prefix)).every(({ chain }) => chain.every(isUnavailable)),
  );
  return { isAnyConfigured: configured.length > 0, waiting: waiting.sort() };
}
