/** Webhook endpoints, and the events that they must and may get. */
import { expect } from "@playwright/test";
import type { CreatedWebhookEndpoint, WebhookEndpoint } from "@/server/webhooks/schema";
import { STATUS_EVENT_TYPES } from "@/server/webhooks/schema";
import type { CheckedResponse } from "../checked-api";
import { ISO } from "../follow";
import { expectStatus, isRefused, NOT_FOUND, passes } from "./agreement";
import { type Prepared, prepareCreation } from "./creation";
import type { Endpoint, Side, State } from "./model-state";

/** Types of events; an inbound message has to be named. */
const subscribed = (events: string[] | null): string[] =>
  (events ?? ["*"]).flatMap((type) => (type === "*" ? [...STATUS_EVENT_TYPES] : type));

function wireOf(side: Side, endpoint: Endpoint) {
  const { id, url, description, isPaused, pausedBy, subscriptions } = endpoint;
  const events = subscriptions.at(-1)?.events ?? [];
  return {
    ...{ id, url, description, object: "webhook_endpoint", livemode: side.isLive, is_active: !isPaused },
    ...{ disabled_reason: null, created_at: ISO },
    events: expect.arrayContaining(events),
    ...{ paused_at: isPaused ? ISO : null, disabled_at: isPaused ? ISO : null, paused_by: pausedBy },
  };
}

/** Compares an endpoint, as a response shows it, with the model. */
export function compareEndpoint(side: Side, endpoint: Endpoint, given: unknown): void {
  const shown = given as WebhookEndpoint;
  expect(shown).toMatchObject(wireOf(side, endpoint));
  expect(shown.events).toHaveLength(endpoint.subscriptions.at(-1)?.events.length ?? 0);
  expect("signing_secret" in shown).toBe(false);
}

/** POST /webhooks/create; `events` null: omitted. */
export function prepareEndpoint(
  keyId: string,
  step: { url: string; events: string[] | null },
  idempotencyKey: string | null,
): Prepared {
  const { url, events } = step;
  return prepareCreation({
    ...{ keyId, idempotencyKey, path: "/webhooks/create", scope: "webhooks:write", showsSecret: true },
    body: { url, ...(events === null ? {} : { events }) },
    refusals: () => ({ certain: [], possible: [] }),
    create: (side, _, data, { step: at }) => {
      const { signing_secret, ...shown } = data as CreatedWebhookEndpoint;
      expect(signing_secret).toMatch(/^whsec_/);
      const endpoint: Endpoint = {
        ...{ id: shown.id, url, description: null, isPaused: false, pausedBy: null, wasPaused: false },
        ...{ leavesHeld: false, leavesForgotten: false, secrets: [signing_secret], rotatedBy: 0 },
        subscriptions: [{ events: [...new Set(subscribed(events))], from: at, to: null }],
      };
      compareEndpoint(side, endpoint, shown);
      side.endpoints.push(endpoint);
      side.urls.push(url);
    },
  });
}

function onEndpoint(
  request: { keyId: string; method: string; path: string; body?: unknown; id: string; scope: string },
  judge: (state: State, side: Side, endpoint: Endpoint, response: CheckedResponse) => void,
): Prepared {
  const { keyId, method, path, body, id, scope } = request;
  return {
    keyId,
    ask: { method, path: `/webhooks/${id}${path}`, body },
    judge: (state, response) => {
      const caller = passes(state, keyId, response, [scope]);
      if (!caller) return;
      const endpoint = caller.side.endpoints.find((each) => each.id === id);
      if (isRefused(response, { certain: endpoint ? [] : [NOT_FOUND], possible: [] }) || !endpoint) return;
      expectStatus(response, 200);
      judge(state, caller.side, endpoint, response);
    },
  };
}

/** GET /webhooks/{id}. */
export const prepareReadEndpoint = (keyId: string, id: string): Prepared =>
  onEndpoint({ keyId, method: "GET", path: "", id, scope: "dlr:read" }, (_, side, endpoint, { body }) =>
    compareEndpoint(side, endpoint, body.data),
  );

/** DELETE /webhooks/{id}. */
export const prepareDeleteEndpoint = (keyId: string, id: string): Prepared =>
  onEndpoint({ keyId, method: "DELETE", path: "", id, scope: "webhooks:write" }, (_, side, __, { body }) => {
    expect(body.data).toEqual({ id, object: "webhook_endpoint", deleted: true });
    side.endpoints = side.endpoints.filter((each) => each.id !== id);
  });

export type EndpointChange = { description: string | null; events: string[] | null };

/** PATCH /webhooks/{id}; `events` null: unchanged. */
export const prepareChangeEndpoint = (keyId: string, id: string, { description, events }: EndpointChange): Prepared =>
  onEndpoint(
    {
      ...{ keyId, method: "PATCH", path: "", id, scope: "webhooks:write" },
      body: { description, ...(events === null ? {} : { events }) },
    },
    ({ step }, side, endpoint, { body }) => {
      endpoint.description = description;
      const former = endpoint.subscriptions.at(-1);
      if (events !== null && former) {
        former.to = step;
        endpoint.subscriptions.push({ events: [...new Set(subscribed(events))], from: step, to: null });
      }
      compareEndpoint(side, endpoint, body.data);
    },
  );

/** POST /webhooks/{id}/pause, /resume or /enable. */
export const prepareSwitch = (keyId: string, id: string, verb: "pause" | "resume" | "enable"): Prepared =>
  onEndpoint(
    { keyId, method: "POST", path: `/${verb}`, id, scope: "webhooks:write" },
    (_, side, endpoint, { body }) => {
      const isPause = verb === "pause";
      // A pause of a paused endpoint changes nothing.
      endpoint.pausedBy = isPause ? (endpoint.pausedBy ?? keyId) : null;
      if (verb === "enable" && endpoint.isPaused) endpoint.leavesHeld = true;
      endpoint.isPaused = isPause;
      endpoint.wasPaused ||= isPause;
      compareEndpoint(side, endpoint, body.data);
    },
  );

/** GET /webhooks. */
export const prepareEndpoints = (keyId: string): Prepared => ({
  keyId,
  ask: { method: "GET", path: "/webhooks" },
  judge: (state, response) => {
    const caller = passes(state, keyId, response, ["dlr:read"]);
    if (!caller) return;
    expectStatus(response, 200);
    const { side } = caller;
    const { data } = response.body.data as { data: WebhookEndpoint[] };
    expect(data.map(({ id }) => id).toSorted()).toEqual(side.endpoints.map(({ id }) => id).toSorted());
    for (const shown of data)
      compareEndpoint(side, side.endpoints.find(({ id }) => id === shown.id) as Endpoint, shown);
  },
});

/** Whether an endpoint gets an event: certainly, perhaps, or certainly not. */
export function getsEvent(endpoint: Endpoint, type: string, after: number, before: number): "must" | "may" | "never" {
  const having = endpoint.subscriptions.filter(({ events }) => events.includes(type));
  // The change was recorded between the steps `after` and `before`, both included.
  const isOpen = (to: number | null, at: number) => to === null || to > at;
  if (having.some(({ from, to }) => from < after && isOpen(to, before))) return "must";
  return having.some(({ from, to }) => from <= before && (to === null || to >= after)) ? "may" : "never";
}
