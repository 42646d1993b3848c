/** Experiments with permissions and endpoints: each changes one of them under load, and notes what follows. */
import type { Chance } from "../faults/chance";
import type { Spare } from "../world/customers";
import type { Receivers } from "../world/receivers";
import { type Ban, type Decide, deleteSender, type SendOnce, suppress, suspend } from "./bans";
import { type EndpointLife, lifeOfEndpoint } from "./endpoints";
import { type KeyLife, livesOfKey } from "./keys";
import { exhaustQuota, type QuotaLife } from "./quotas";
import { exhaustRate, type RateLife } from "./rates";
import type { Caller } from "./sends";

/**
 * suppress: a number. key: made, used and ended. quota, rate: of a key, used up. endpoint: made, changed, deleted. The last two use
 * up a spare customer.
 */
const KINDS = ["suppress", "key", "quota", "rate", "endpoint", "delete sender", "suspend"] as const;
export type PermissionKind = (typeof KINDS)[number];

export const isExperiment = (operation: string): operation is PermissionKind =>
  KINDS.some((kind) => kind === operation);

/** `cookieOf`: of a session of the owner of an account. */
export type Permissions = { spares: readonly Spare[]; decide: Decide; cookieOf: (accountId: string) => string };

/** `permissions` null: no experiment is made. */
type Setting = {
  seed: number;
  chance: Chance;
  newNumber: () => string;
  send: SendOnce;
  urls: readonly string[];
  receivers: Receivers;
  permissions: Permissions | null;
};

export type Experiments = {
  bans: Ban[];
  keys: KeyLife[];
  quotas: QuotaLife[];
  rates: RateLife[];
  endpoints: EndpointLife[];
  /** Runs one to its end. */
  run: (kind: PermissionKind, caller: Caller) => Promise<void>;
};

/** Prepares the experiments of a load. */
export function startExperiments({ seed, permissions, ...shared }: Setting): Experiments {
  const [bans, keys, endpoints] = [[] as Ban[], [] as KeyLife[], [] as EndpointLife[]];
  const [quotas, rates] = [[] as QuotaLife[], [] as RateLife[]];
  const spares = [...(permissions?.spares ?? [])];
  let count = 0;
  const run: Experiments["run"] = async (kind, caller) => {
    if (!permissions) return;
    count += 1;
    const order = { ...caller, ...shared, number: `${seed}-${count}` };
    if (kind === "suppress") bans.push(await suppress(order));
    else if (kind === "key" || kind === "quota") {
      const own = { ...order, cookie: permissions.cookieOf(caller.customer.accountId) };
      if (kind === "key") keys.push(...(await livesOfKey(own)));
      else quotas.push(await exhaustQuota(own));
    } else if (kind === "rate") {
      const life = await exhaustRate(order);
      if (life) rates.push(life);
    } else if (kind === "endpoint") endpoints.push(await lifeOfEndpoint(order));
    else {
      const customer = spares.pop();
      if (!customer) return;
      const own = { ...order, customer };
      bans.push(await (kind === "suspend" ? suspend({ ...own, decide: permissions.decide }) : deleteSender(own)));
    }
  };
  return { bans, keys, quotas, rates, endpoints, run };
}
