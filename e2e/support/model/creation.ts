/** Requests that create something, and may be repeated with an Idempotency-Key (docs/idempotency.md). */
import { expect } from "@playwright/test";
import type { BulkResult, Message } from "@/server/messages/schema";
import type { Ask, CheckedResponse } from "../checked-api";
import { expectStatus, isRefused, passes, type Refusal, type Refusals } from "./agreement";
import { Disagreement, type Key, type Side, type State } from "./model-state";

/** A request of a key, and the comparison of its response with the model, which it changes. */
export type Prepared = {
  keyId: string;
  ask: Ask;
  judge: (state: State, response: CheckedResponse) => void;
  /** The same request by another key, of requests that create something. */
  as?: (keyId: string) => Prepared;
};

export type Creation = {
  keyId: string;
  path: string;
  /** Undefined: none. */
  body: Record<string, unknown> | undefined;
  idempotencyKey: string | null;
  scope: string;
  /** Refusals of the input, before anything else of the operation. */
  input?: Refusal[];
  /** Refusals of the operation, as things stand. */
  refusals: (side: Side, key: Key, state: State) => Refusals;
  /** Compares what was created with the model, and keeps it there. */
  create: (side: Side, key: Key, data: unknown, state: State) => void;
  showsSecret?: boolean;
  /** Status of the response; 201 if omitted. */
  status?: number;
};

const REUSED: Refusal = { status: 400, reason: "idempotency_key_reused", param: "Idempotency-Key" };
/** The header of a repeated response. */
export const REPLAYED = "idempotency-replayed";

/** The text of a JSON value, whatever the order of its fields. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, inner) =>
    inner !== null && typeof inner === "object" && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  );

/** The first response to a send, without the texts that were deleted since. */
function withoutDeletedTexts(side: Side, data: unknown): unknown {
  const without = (message: Message): Message =>
    side.messages.find(({ id }) => id === message.id)?.isRedacted ? { ...message, body: "" } : message;
  const { object } = data as { object: string };
  if (object === "message") return without(data as Message);
  if (object !== "bulk_result") return data;
  return { ...(data as BulkResult), messages: (data as BulkResult).messages.map(without) };
}

/** A request that creates something, perhaps under an Idempotency-Key. */
export function prepareCreation(creation: Creation): Prepared {
  const {
    keyId,
    path,
    body,
    idempotencyKey,
    scope,
    input = [],
    refusals,
    create,
    showsSecret = false,
    status = 201,
  } = creation;
  const text = `${path} ${canonical(body)}`;
  const headers = idempotencyKey === null ? undefined : { "idempotency-key": idempotencyKey };
  return {
    keyId,
    as: (otherId) => prepareCreation({ ...creation, keyId: otherId }),
    ask: { method: "POST", path, body, headers },
    judge: (state, response) => {
      const caller = passes(state, keyId, response, [scope], input);
      if (!caller) return;
      const { side, key } = caller;
      const stored = idempotencyKey === null ? undefined : side.stored[idempotencyKey];
      const isReplayed = response.headers.has(REPLAYED);
      if (stored) {
        const isOther = stored.text !== text || (stored.showsSecret && stored.keyId !== keyId);
        if (isRefused(response, { certain: isOther ? [REUSED] : [], possible: [] })) return;
        expectStatus(response, status);
        if (!isReplayed) throw new Disagreement(`${path} with the key ${idempotencyKey} was carried out again.`);
        expect(response.body.data).toEqual(withoutDeletedTexts(side, stored.data));
        return;
      }
      if (isReplayed) throw new Disagreement(`${path} was answered with another response.`);
      if (isRefused(response, refusals(side, key, state))) return;
      expectStatus(response, status);
      const { data } = response.body;
      create(side, key, data, state);
      if (idempotencyKey !== null) side.stored[idempotencyKey] = { text, keyId, showsSecret, data };
    },
  };
}
