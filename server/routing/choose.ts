/** A row of `routes`, as routing needs it. */
export type Route = {
  id: number;
  prefix: string;
  priority: number;
  chain: string[];
  priceMicros: bigint;
  weight: number;
};

/**
 * The route for a destination: longest prefix first, then the lowest priority number, then by weight.
 * @param to E.164.
 * @param random in [0, 1), decides between routes of equal rank in proportion to their weights.
 */
export function chooseRoute(routes: readonly Route[], to: string, random: number): Route | null {
  const digits = to.slice(1);
  let best: Route[] = [];
  for (const route of routes) {
    if (route.chain.length === 0 || !digits.startsWith(route.prefix)) continue;
    const [current] = best;
    const rank = current ? route.prefix.length - current.prefix.length || current.priority - route.priority : 1;
    if (rank > 0) best = [route];
    else if (rank === 0) best.push(route);
  }
  let left = random * best.reduce((sum, route) => sum + route.weight, 0);
  for (const route of best) {
    left -= route.weight;
    if (left < 0) return route;
  }
  return best[0] ?? null;
}

/** The providers to try, in order: the preferred one first, then the rest of the chain. */
export const orderChain = (chain: readonly string[], preferred: string | null): string[] =>
  preferred === null ? [...chain] : [preferred, ...chain.filter((provider) => provider !== preferred)];
