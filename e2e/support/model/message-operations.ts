/** Reading, canceling, rescheduling and redacting messages, and lists of them. */
import { expect } from "@playwright/test";
import type { Message } from "@/server/messages/schema";
import type { CheckedResponse } from "../checked-api";
import { expectStatus, isRefused, NOT_FOUND, none, observe, passes, type Refusal } from "./agreement";
import type { Prepared } from "./creation";
import {
  CANCELED,
  Disagreement,
  type ModelMessage,
  RANKS,
  type Side,
  type SideName,
  type State,
  type Status,
  waysNow,
} from "./model-state";
import { refusalsOfTime, timeOf, type When } from "./send-operations";

const EITHER_SEND = ["sms:send", "sms:bulk"];

const find = (side: Side, id: string): ModelMessage | undefined => side.messages.find((message) => message.id === id);

/** An operation on one message, which another account's message is not. */
function onMessage(
  request: {
    keyId: string;
    method: string;
    path: string;
    body?: unknown;
    id: string;
    scopes: string[];
    input?: Refusal[];
  },
  judge: (state: State, message: ModelMessage, response: CheckedResponse, side: Side) => void,
): Prepared {
  const { keyId, method, path, body, id, scopes, input = [] } = request;
  return {
    keyId,
    ask: { method, path, body },
    judge: (state, response) => {
      const caller = passes(state, keyId, response, scopes, input);
      if (!caller) return;
      const message = find(caller.side, id);
      if (message) judge(state, message, response, caller.side);
      else isRefused(response, { certain: [NOT_FOUND], possible: [] });
    },
  };
}

/** Compares the status in `details.status` of a refusal with the model. */
function observeStatus(message: ModelMessage, response: CheckedResponse, allowed: (status: Status) => boolean): void {
  const status = response.body.error?.details.status as Status;
  const isPossible = message.ways.some(({ statuses }) => statuses.includes(status));
  if (!isPossible || !allowed(status) || RANKS[status] < RANKS[message.seen.status]) {
    throw new Disagreement(`${message.id} is said to be ${status}: ${JSON.stringify(message.ways)}`);
  }
}

/** GET /messages/{id}. */
export const prepareRead = (keyId: string, id: string): Prepared =>
  onMessage({ keyId, method: "GET", path: `/messages/${id}`, id, scopes: ["sms:read"] }, (state, message, response) => {
    expectStatus(response, 200);
    observe(state, message, response.body.data);
  });

/** POST /messages/{id}/cancel. */
export const prepareCancel = (keyId: string, id: string): Prepared =>
  onMessage(
    { keyId, method: "POST", path: `/messages/${id}/cancel`, id, scopes: EITHER_SEND },
    (state, message, response) => {
      const isCanceled = message.seen.error?.code === "canceled";
      const canBe = isCanceled || message.ways.some(({ statuses }) => statuses[0] === "pending");
      const refusal = { status: 400, reason: "not_cancelable", param: "id" };
      const isCertain = !canBe || (RANKS[message.seen.status] > 0 && !isCanceled);
      const mustBe = isCanceled || (!message.isDue && message.ways.length === 1);
      const refusals = isCertain
        ? { certain: [refusal], possible: [] }
        : { certain: [], possible: mustBe ? [] : [refusal] };
      if (isRefused(response, refusals)) return observeStatus(message, response, () => true);
      expectStatus(response, 200);
      if (!isCanceled) message.ways = [CANCELED];
      observe(state, message, response.body.data);
    },
  );

/** POST /messages/{id}/redact. */
export const prepareRedact = (keyId: string, id: string): Prepared =>
  onMessage(
    { keyId, method: "POST", path: `/messages/${id}/redact`, id, scopes: EITHER_SEND },
    (state, message, response) => {
      const refusal = { status: 400, reason: "not_redactable", param: "id" };
      const hasEnded = RANKS[message.seen.status] === 2;
      const canEnd = message.ways.some(({ statuses }) => RANKS[statuses.at(-1) ?? "pending"] === 2);
      const refusals = none();
      if (!canEnd) refusals.certain.push(refusal);
      else if (!hasEnded) refusals.possible.push(refusal);
      if (isRefused(response, refusals)) return observeStatus(message, response, (status) => RANKS[status] < 2);
      expectStatus(response, 200);
      message.isRedacted = true;
      observe(state, message, response.body.data);
    },
  );

/** POST /messages/{id}/reschedule. */
export function prepareReschedule(keyId: string, id: string, when: When): Prepared {
  const sendAt = timeOf(when);
  return onMessage(
    { keyId, method: "POST", path: `/messages/${id}/reschedule`, body: { send_at: sendAt }, id, scopes: EITHER_SEND },
    (state, message, response, side) => {
      const refusals = refusalsOfTime(when);
      const refusal = { status: 400, reason: "not_reschedulable", param: "id" };
      const isWaiting = message.seen.status === "pending" && message.scheduledAt !== null;
      if (!isWaiting) refusals.certain.push(refusal);
      else if (message.isDue || message.ways.length > 1) refusals.possible.push(refusal);
      // A message whose time has come keeps it: "send now" may be repeated.
      if (!isWaiting && message.scheduledAt !== null && when === "now") {
        refusals.possible.push(...refusals.certain);
        refusals.certain = [];
      }
      if (isRefused(response, refusals)) return;
      expectStatus(response, 200);
      const shown = response.body.data as Message;
      const isMoved = isWaiting && (when !== "now" || shown.scheduled_at !== message.scheduledAt);
      if (when !== "now") expect(shown.scheduled_at).toBe(sendAt);
      message.scheduledAt = shown.scheduled_at;
      if (isMoved) {
        message.isDue = when === "now" || when === "soon";
        const waiting = { statuses: ["pending" as const], codes: null, isRefunded: false };
        message.ways = message.isDue ? waysNow(side, message.input) : [waiting];
      }
      observe(state, message, shown);
    },
  );
}

/** Filters of the list. Times are those of messages. */
export type ListStep = {
  filters: {
    name: "status" | "to" | "from" | "reference" | "metadata[shop]" | "api_key_id" | "created_after" | "created_before";
    value: string;
  }[];
  page: number | null;
  limit: number | null;
};

const passesFilter = (message: ModelMessage, { name, value }: ListStep["filters"][number]): boolean => {
  const { input, keyId, seen } = message;
  if (name === "to") return input.to === value;
  if (name === "from") return input.from === value;
  if (name === "reference") return input.reference === value;
  if (name === "metadata[shop]") return input.metadata?.shop === value;
  if (name === "api_key_id") return keyId === value;
  if (name === "created_after") return seen.created_at >= value;
  if (name === "created_before") return seen.created_at < value;
  return true;
};

/** Items in the order of lists; ids sort by time. */
export const newestFirst = <Item extends { id: string }>(items: readonly Item[]): Item[] =>
  items.toSorted((one, other) => (one.id < other.id ? 1 : -1));

/** The `pagination` of a page. */
export const paginationOf = (total: number, page: number, limit: number) => {
  const pages = Math.ceil(total / limit);
  return { page, limit, total, pages, has_more: page < pages };
};

/** Compares a page of messages with the model. A status that may change only bounds the list. */
function judgePage(state: State, side: Side, { filters, page, limit }: ListStep, response: CheckedResponse): void {
  const { data, pagination } = response.body;
  const items = data as Message[];
  const selected = newestFirst(side.messages.filter((message) => filters.every((each) => passesFilter(message, each))));
  const statuses = filters.filter(({ name }) => name === "status").map(({ value }) => value as Status);
  const [size, number] = [limit ?? 50, page ?? 1];
  if (statuses.length === 0) {
    expect(pagination).toEqual(paginationOf(selected.length, number, size));
    const expected = selected.slice((number - 1) * size, number * size);
    expect(items.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
  } else {
    const isPossible = ({ ways, seen }: ModelMessage, status: Status) =>
      RANKS[status] >= RANKS[seen.status] && ways.some((way) => way.statuses.includes(status));
    const most = selected.filter((message) => statuses.every((status) => isPossible(message, status)));
    expect(most.map(({ id }) => id)).toEqual(expect.arrayContaining(items.map(({ id }) => id)));
    const least = most.filter(({ ways }) => ways.every((way) => way.statuses.length === 1));
    expect(pagination?.total).toBeLessThanOrEqual(most.length);
    expect(pagination?.total).toBeGreaterThanOrEqual(least.length);
    for (const { status } of items) expect(statuses).toContain(status);
  }
  for (const item of items) observe(state, find(side, item.id) as ModelMessage, item);
}

/** GET /messages with filters, by page number. */
export function prepareList(keyId: string, step: ListStep): Prepared {
  const query = new URLSearchParams(step.filters.map(({ name, value }) => [name, value]));
  if (step.page !== null) query.set("page", String(step.page));
  if (step.limit !== null) query.set("limit", String(step.limit));
  return {
    keyId,
    ask: { method: "GET", path: `/messages?${query}` },
    judge: (state, response) => {
      const caller = passes(state, keyId, response, ["sms:read"]);
      if (!caller) return;
      expectStatus(response, 200);
      judgePage(state, caller.side, step, response);
    },
  };
}

/**
 * A page by cursor: the next one of the walk under way in the account, or the first of another. Paging neither repeats nor skips what
 * existed when it began, however much is added meanwhile (docs/pagination.md).
 */
export function prepareWalk({ sides }: State, keyId: string, name: SideName, limit: number): Prepared {
  const { walk } = sides[name];
  const query = walk === null ? "" : `&cursor=${encodeURIComponent(walk.cursor)}`;
  return {
    keyId,
    ask: { method: "GET", path: `/messages?limit=${limit}${query}` },
    judge: (state, response) => {
      const caller = passes(state, keyId, response, ["sms:read"]);
      if (!caller) return;
      expectStatus(response, 200);
      const { side } = caller;
      const all = newestFirst(side.messages).map(({ id }) => id);
      const { left, total } = walk ?? { left: all, total: all.length };
      const items = response.body.data as Message[];
      expect(items.map(({ id }) => id)).toEqual(left.slice(0, limit));
      expect(response.body.pagination).toMatchObject({ total, has_more: left.length > limit });
      const cursor = response.body.meta.next_cursor ?? null;
      expect(cursor !== null).toBe(left.length > limit);
      side.walk = cursor === null ? null : { cursor, left: left.slice(limit), total };
      for (const item of items) observe(state, find(side, item.id) as ModelMessage, item);
    },
  };
}
