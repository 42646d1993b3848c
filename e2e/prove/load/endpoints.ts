/** Customers create webhook endpoints, change them and delete them, while events are on their way. */
import { between, type Chance, oneOf } from "../faults/chance";
import type { Receivers } from "../world/receivers";
import { type Change, change } from "./changes";
import type { Caller } from "./sends";

/** An endpoint as its owner knows it. `receiver`: of its URL. */
export type EndpointLife = {
  accountId: string;
  created: Change;
  receiver: string;
  events: readonly string[];
  /** Ids in the responses to repeated requests for the same endpoint: one, if all is well. */
  ids: string[];
  /** Null: it was never changed. Its URL and event types are those after the change. */
  changed: { at: Change; receiver: string; events: readonly string[] } | null;
  /** Null: it stays. */
  deleted: Change | null;
};

/** `number`: unique among all endpoints. */
type EndpointOrder = Caller & { number: string; chance: Chance; receivers: Receivers };

const SUBSCRIPTIONS: readonly (readonly string[])[] = [
  ["*"],
  ["*", "message.received"],
  ["message.failed"],
  ["message.sent", "message.delivered"],
];
const PAUSE_MS = { least: 500, most: 3_000 };
const CHANGED_SHARE = 0.7;
const DELETED_SHARE = 0.6;

const pauseByChance = (chance: Chance) =>
  new Promise((resolve) => setTimeout(resolve, between(chance, PAUSE_MS.least, PAUSE_MS.most)));

/** Creates an endpoint whose server never fails, changes its URL, its event types or both, and deletes it, as chance has it. */
export async function lifeOfEndpoint(order: EndpointOrder): Promise<EndpointLife> {
  const { customer, number, chance, receivers, turn } = order;
  const [receiver, other] = [`t${number}-steady`, `t${number}-moved-steady`];
  const events = oneOf(chance, SUBSCRIPTIONS);
  const create = (at: number) =>
    change(
      { ...order, turn: turn + at },
      {
        ...{ what: "create endpoint", method: "POST", path: "/webhooks/create" },
        ...{ body: { url: receivers.urlOf(receiver), events }, idempotencyKey: `create-endpoint-${number}` },
      },
    );
  const { made: created, data } = await create(0);
  const { accountId } = customer;
  const life: EndpointLife = { accountId, created, receiver, events, ids: [], changed: null, deleted: null };
  const secret = data.signing_secret;
  if (!created.isDone || typeof secret !== "string") return life;
  for (const name of [receiver, other]) receivers.addSecret(name, secret);
  const again = await create(1);
  life.ids.push(String(data.id), ...(again.made.isDone ? [String(again.data.id)] : []));
  const path = `/webhooks/${data.id}`;
  await pauseByChance(chance);
  if (chance() < CHANGED_SHARE) {
    const what = oneOf(chance, ["url", "events", "both"] as const);
    const after = {
      receiver: what === "events" ? receiver : other,
      events: what === "url" ? events : oneOf(chance, SUBSCRIPTIONS),
    };
    const body = {
      ...(what !== "events" && { url: receivers.urlOf(other) }),
      ...(what !== "url" && { events: after.events }),
    };
    const { made: at } = await change(order, { what: "change endpoint", method: "PATCH", path, body });
    life.changed = { at, ...after };
    await pauseByChance(chance);
  }
  if (chance() < DELETED_SHARE)
    life.deleted = (await change(order, { what: "delete endpoint", method: "DELETE", path })).made;
  return life;
}
