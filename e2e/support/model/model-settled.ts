/** The comparison of a whole account with the model, once its messages are at rest. */
import { expect } from "@playwright/test";
import type { Usage } from "@/server/accounts/schema";
import type { Message } from "@/server/messages/schema";
import type { Sender } from "@/server/senders/schema";
import type { Suppression } from "@/server/suppressions/schema";
import type { Database } from "../books";
import type { CheckedApi } from "../checked-api";
import { prepareSuppressions } from "./account-operations";
import { observe } from "./agreement";
import { prepareEndpoints } from "./endpoint-operations";
import { prepareInbound } from "./inbound-operations";
import { prepareKeys } from "./key-operations";
import { newestFirst, paginationOf, prepareList } from "./message-operations";
import { compareAllDeliveries, compareEvents } from "./model-deliveries";
import type { World } from "./model-requests";
import { isAtRest, type ModelMessage, micros, SIDES, type Side, type State, type Status, spent } from "./model-state";
import { PAGE, wholeList } from "./whole-list";

const restOf = (world: World, side: Side): CheckedApi => world.rest.withKey(side.keys[0]?.plain ?? null);

/** Waits until no message of the sequence changes any more by itself. */
export async function settle(world: World): Promise<void> {
  for (const name of SIDES) {
    const side = world.state.sides[name];
    const left = async (): Promise<string[]> => {
      const items = await wholeList<Message>(restOf(world, side), "/messages", PAGE);
      world.state.step += 1;
      expect(items.map(({ id }) => id)).toEqual(newestFirst(side.messages).map(({ id }) => id));
      const byId = new Map(side.messages.map((message) => [message.id, message]));
      for (const item of items) observe(world.state, byId.get(item.id) as ModelMessage, item);
      return side.messages
        .filter((message) => !isAtRest(message))
        .map(({ id, ways }) => `${id} ${JSON.stringify(ways)}`);
    };
    await expect.poll(left, { intervals: [100, 250, 500] }).toEqual([]);
  }
}

const STATUSES: Status[] = ["pending", "sent", "delivered", "failed", "undelivered"];

async function compareMoney(side: Side, rest: CheckedApi, database: Database): Promise<void> {
  const { least, most } = spent(side);
  // Everything is at rest, or waits for its time.
  expect(least).toBe(most);
  const { balance } = await rest.get<{ balance: number }>("/balance");
  expect(micros(balance)).toBe(side.creditMicros - most);
  expect((await rest.get<{ balance: number }>("/account")).balance).toBe(balance);
  if (side.isLive) {
    const books = await database.booksOf(side.accountId);
    expect(books).toMatchObject({ balance: micros(balance), ledger: micros(balance), messages: side.messages.length });
  }
  for (const period of ["day", "month", "all"]) {
    const usage = await rest.get<Usage>(`/usage?period=${period}`);
    const within = side.messages.filter(
      ({ seen }) => seen.created_at >= usage.starts_at && (period === "all" || seen.created_at < usage.ends_at),
    );
    const count = (status: Status) => within.filter(({ seen }) => seen.status === status).length;
    expect(usage).toMatchObject({
      period,
      totals: { messages: within.length },
      by_status: Object.fromEntries(STATUSES.map((status) => [status, count(status)])),
    });
    expect(micros(usage.totals.cost)).toBe(within.reduce((sum, { seen }) => sum + micros(seen.cost), 0));
  }
}

async function compareRest(state: State, side: Side, rest: CheckedApi): Promise<void> {
  const keyId = side.keys[0]?.id ?? "";
  for (const prepared of [
    prepareSuppressions(keyId),
    prepareEndpoints(keyId),
    prepareKeys(keyId),
    prepareInbound(keyId, null, null, PAGE),
  ]) {
    const from = Date.now();
    const response = await rest.ask(prepared.ask);
    state.during = { from, to: Date.now() };
    prepared.judge(state, response);
  }
  for (const { number, senderId } of side.suppressions) {
    const query = `number=${encodeURIComponent(number)}${senderId === null ? "" : `&sender_id=${encodeURIComponent(senderId)}`}`;
    const items = await wholeList<Suppression>(rest, `/suppressions?${query}`, 1, { byCursor: true });
    const expected = side.suppressions.filter(
      (entry) => entry.number === number && (senderId === null || entry.senderId === senderId),
    );
    expect(items.map(({ id }) => id).toSorted()).toEqual(expected.map(({ id }) => id).toSorted());
  }
  const senders = await wholeList<Sender>(rest, "/senders", PAGE);
  expect(senders.map(({ id }) => id).toSorted()).toEqual(side.senders.map(({ id }) => id).toSorted());
  for (const status of STATUSES) {
    const step = { filters: [{ name: "status" as const, value: status }], page: null, limit: PAGE };
    const prepared = prepareList(keyId, step);
    const response = await rest.ask(prepared.ask);
    prepared.judge(state, response);
    const listed = newestFirst(side.messages.filter(({ seen }) => seen.status === status));
    expect(response.body.pagination).toEqual(paginationOf(listed.length, 1, PAGE));
    expect((response.body.data as Message[]).map(({ id }) => id)).toEqual(listed.slice(0, PAGE).map(({ id }) => id));
  }
  const walked = await wholeList<Message>(rest, "/messages", 7, { byCursor: true });
  expect(walked).toEqual(newestFirst(side.messages).map(({ seen }) => seen));
}

/** Compares everything that the API shows of the accounts with the model. */
export async function compareAll(world: World, database: Database): Promise<void> {
  await settle(world);
  for (const name of SIDES) {
    const side = world.state.sides[name];
    const rest = restOf(world, side);
    await compareMoney(side, rest, database);
    const events = await compareEvents(side, rest);
    await compareRest(world.state, side, rest);
    await compareAllDeliveries(world, side, rest, events);
  }
}
