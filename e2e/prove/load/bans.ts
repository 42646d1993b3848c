/** Bans: numbers are suppressed, sender IDs deleted and accounts suspended, before, between and after sends. */
import { between, type Chance, oneOf, weighed } from "../faults/chance";
import type { Customer, Spare } from "../world/customers";
import { type Change, change } from "./changes";
import type { Caller, Order, Send, SendKind } from "./sends";

/** A send to one number. before, during, after: relative to the ban; a ban that is never lifted has no "after". */
export type Aim = { when: "before" | "during" | "after"; to: string; url: string; send: Send };

/** A ban as those know it who imposed it. `lifted`: null if it stays. */
export type Ban = {
  what: "suppression" | "sender" | "account";
  accountId: string;
  imposed: Change;
  lifted: Change | null;
  aims: Aim[];
};

/** Lets the operator suspend an account, or activate it again. */
export type Decide = (accountId: string, status: "suspended" | "active") => Promise<Change>;

/** Sends once, without canceling it; `other`: properties that are not random. */
export type SendOnce = (
  customer: Customer,
  kind: SendKind,
  turn: number,
  other: Partial<Pick<Order, "to" | "size" | "newNumber">>,
) => Promise<Send>;

/** `number`: unique among all bans. */
type BanOrder = Caller & { number: string; chance: Chance; newNumber: () => string; send: SendOnce };

/** How long an account stays suspended. */
const SUSPENDED_MS = { least: 500, most: 6_000 };
/** Times after a deletion at which somebody sends from the sender ID. */
const AFTER_DELETION_MS = [0, 0, 400, 800, 1_200] as const;
const LIFTED_SHARE = 0.5;
const IMPORTED_SHARE = 0.3;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Sends of a ban, each to a new number; the web processes take turns. */
function aimsOf({ customer, newNumber, send, urlAt, turn }: BanOrder, aims: Aim[]) {
  let at = turn;
  return async (when: Aim["when"], kind: SendKind, to = newNumber()): Promise<void> => {
    at += 1;
    const url = urlAt(at);
    aims.push({ when, to, url, send: await send(customer, kind, at, { to }) });
  };
}

/** Suppresses a number, for one sender ID or all, perhaps deletes the suppression, and sends to the number once. */
export async function suppress(order: BanOrder): Promise<Ban> {
  const { customer, chance, number, turn } = order;
  const [aims, to] = [[] as Aim[], order.newNumber()];
  const aim = aimsOf(order, aims);
  const when = weighed<Aim["when"]>(chance, [
    [4, "before"],
    [4, "during"],
    [3, "after"],
  ]);
  const kind = when === "before" ? oneOf<SendKind>(chance, ["scheduled", "scheduled", "paced", "keyed"]) : "keyed";
  const isLifted = when === "after" || (when === "before" && chance() < LIFTED_SHARE);
  const sender = kind === "paced" ? customer.pacedSender : customer.sender;
  if (when === "before") await aim(when, kind, to);
  const one = chance() < 0.5 ? { sender_id: sender } : {};
  const { made: imposed, data } = await change(
    order,
    // An import does not tell the ids.
    !isLifted && chance() < IMPORTED_SHARE
      ? { what: "import", method: "POST", path: "/suppressions/import", body: { numbers: [to], ...one } }
      : {
          ...{ what: "suppress", method: "POST", path: "/suppressions", body: { number: to, ...one } },
          idempotencyKey: `suppress-${number}`,
        },
  );
  const ban: Ban = { what: "suppression", accountId: customer.accountId, imposed, lifted: null, aims };
  if (!imposed.isDone) return ban;
  if (when === "during") await aim(when, kind, to);
  if (!isLifted) return ban;
  const path = `/suppressions/${data.id}`;
  ban.lifted = (await change({ ...order, turn: turn + 1 }, { what: "unsuppress", method: "DELETE", path })).made;
  if (when === "after") await aim(when, kind, to);
  return ban;
}

/** Deletes a sender ID from which messages wait, and goes on sending from it. */
export async function deleteSender(order: BanOrder & { customer: Spare }): Promise<Ban> {
  const { customer } = order;
  const aims: Aim[] = [];
  const aim = aimsOf(order, aims);
  for (const kind of ["scheduled", "scheduled", "keyed"] as const) await aim("before", kind);
  const path = `/senders/${customer.senderRowId}`;
  const { made: imposed } = await change(order, { what: "delete sender", method: "DELETE", path });
  if (imposed.isDone) {
    await Promise.all(
      AFTER_DELETION_MS.map(async (ms) => {
        await pause(ms);
        await aim("during", "keyed");
      }),
    );
  }
  return { what: "sender", accountId: customer.accountId, imposed, lifted: null, aims };
}

/** Suspends an account whose messages wait, and perhaps activates it again; it goes on sending all the time. */
export async function suspend(order: BanOrder & { decide: Decide }): Promise<Ban> {
  const { customer, chance, decide } = order;
  const { accountId } = customer;
  const aims: Aim[] = [];
  const aim = aimsOf(order, aims);
  for (const kind of ["scheduled", "paced", "scheduled", "paced", "keyed"] as const) await aim("before", kind);
  const imposed = await decide(accountId, "suspended");
  const ban: Ban = { what: "account", accountId, imposed, lifted: null, aims };
  if (!imposed.isDone) return ban;
  for (const kind of ["keyed", "keyed", "scheduled"] as const) await aim("during", kind);
  await pause(between(chance, SUSPENDED_MS.least, SUSPENDED_MS.most));
  if (chance() >= LIFTED_SHARE) return ban;
  ban.lifted = await decide(accountId, "active");
  if (ban.lifted.isDone) for (const kind of ["keyed", "keyed"] as const) await aim("after", kind);
  return ban;
}
