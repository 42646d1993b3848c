/** Signing secrets, test events and recoveries of webhook endpoints. */
import { expect } from "@playwright/test";
import type { RotatedWebhookEndpoint, WebhookRecovery } from "@/server/webhooks/schema";
import type { Received, Receiver } from "../../../test/network/receiver";
import { signaturesOf, signaturesWith } from "../signature";
import { expectStatus, isRefused, NOT_FOUND, none, passes, type Refusal } from "./agreement";
import { type Prepared, prepareCreation } from "./creation";
import { compareEndpoint } from "./endpoint-operations";
import { Disagreement, type Endpoint, type Side } from "./model-state";

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
/** Time in which webhooks may still be signed as before a rotation. */
const FORMERLY_SIGNED_MS = 1_000;
const TESTS_PER_MINUTE = 10;
const LONG_AGO = "2020-01-01T00:00:00Z";

const find = (side: Side, id: string): Endpoint | undefined => side.endpoints.find((each) => each.id === id);

const refusalsOfId = (endpoint: Endpoint | undefined) => ({ certain: endpoint ? [] : [NOT_FOUND], possible: [] });

/** POST /webhooks/{id}/rotate-secret. */
export const prepareRotation = (keyId: string, id: string, idempotencyKey: string | null): Prepared =>
  prepareCreation({
    ...{ keyId, idempotencyKey, path: `/webhooks/${id}/rotate-secret`, body: undefined },
    ...{ scope: "webhooks:write", showsSecret: true, status: 200 },
    refusals: (side) => refusalsOfId(find(side, id)),
    create: (side, _, data, { during }) => {
      const { signing_secret, previous_secret_expires_at: until, ...shown } = data as RotatedWebhookEndpoint;
      const endpoint = find(side, id) as Endpoint;
      compareEndpoint(side, endpoint, shown);
      expect(signing_secret).toMatch(/^whsec_/);
      expect(endpoint.secrets).not.toContain(signing_secret);
      const rotatedAt = Date.parse(until) - DAY_MS;
      expect(rotatedAt).toBeGreaterThan(during.from - MINUTE_MS);
      expect(rotatedAt).toBeLessThan(during.to + MINUTE_MS);
      endpoint.secrets.push(signing_secret);
      endpoint.rotatedBy = during.to;
    },
  });

/** The secrets that sign after each rotation: the last two. */
export const pairsOf = ({ secrets }: Endpoint): string[][] =>
  secrets.map((_, at) => secrets.slice(Math.max(0, at - 1), at + 1));

/** Whether a request is signed with exactly these secrets. */
export const isSignedWith = (secrets: string[], request: Received): boolean =>
  signaturesOf(request).join() === signaturesWith(secrets, request).join();

/** POST /webhooks/{id}/test: an event that is signed, posted at once, and no part of any list. */
export function prepareTest(keyId: string, id: string, { received }: Receiver): Prepared {
  const before = received.length;
  return {
    keyId,
    ask: { method: "POST", path: `/webhooks/${id}/test` },
    judge: (state, response) => {
      const caller = passes(state, keyId, response, ["webhooks:write"]);
      if (!caller) return;
      const endpoint = find(caller.side, id);
      const refusals = refusalsOfId(endpoint);
      // On a busy machine, a stall of the service may have broken the connection.
      const possible: Refusal[] = [{ status: 503, reason: "outcome_unknown" }];
      if (state.tests >= TESTS_PER_MINUTE) possible.push({ status: 429, reason: "test_limit", param: null });
      if (isRefused(response, { ...refusals, possible }) || !endpoint) return;
      expectStatus(response, 200);
      state.tests += 1;
      expect(response.body.data).toMatchObject({ object: "webhook_test", delivered: true, status_code: 200 });
      const path = new URL(endpoint.url).pathname;
      const tests = received
        .slice(before)
        .filter((request) => request.path === path && request.headers["service-test"] === "true");
      const isNew = state.during.from < endpoint.rotatedBy + FORMERLY_SIGNED_MS;
      const pairs = pairsOf(endpoint).slice(isNew ? 0 : -1);
      if (!tests.some((request) => pairs.some((secrets) => isSignedWith(secrets, request)))) {
        throw new Disagreement(`No test event is signed with the last secrets of ${id}: ${tests.length} came.`);
      }
    },
  };
}

/** POST /webhooks/{id}/recover, of all events or of those from now on. */
export function prepareRecovery(keyId: string, id: string, isWhole: boolean): Prepared {
  const since = isWhole ? LONG_AGO : new Date().toISOString();
  return {
    keyId,
    ask: { method: "POST", path: `/webhooks/${id}/recover`, body: { since } },
    judge: (state, response) => {
      const caller = passes(state, keyId, response, ["webhooks:write"]);
      if (!caller) return;
      const { side } = caller;
      const endpoint = find(side, id);
      const refusals = none();
      if (!endpoint) refusals.certain.push(NOT_FOUND);
      else if (endpoint.isPaused) refusals.certain.push({ status: 400, reason: "endpoint_disabled" });
      if (isRefused(response, refusals) || !endpoint) return;
      expectStatus(response, 200);
      const { object, recovered } = response.body.data as WebhookRecovery;
      expect(object).toBe("webhook_recovery");
      const most = endpoint.wasPaused ? 2 * side.messages.length + side.inbound.length : 0;
      if (recovered < 0 || recovered > most) throw new Disagreement(`${recovered} deliveries of ${id} were recovered.`);
      if (!isWhole) return;
      endpoint.leavesForgotten ||= endpoint.leavesHeld;
      endpoint.leavesHeld = false;
    },
  };
}
