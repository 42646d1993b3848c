/** A message straight to one provider, past routes, billing and storage, to see whether its settings work. */
import { type Actor, nameOf, requireOperator } from "../core/actor";
import { now } from "../core/clock";
import { prisma } from "../core/db";
import { invalidRequest, rateLimited } from "../core/errors";
import { newId } from "../core/ids";
import { errorFields, log } from "../core/log";
import { perProcess } from "../core/process";
import { storableText } from "../core/wire";
import { segmentText } from "../messages/segments";
import { sentences } from "./http/response";
import type { ProviderTest, TestProviderInput } from "./operator-schema";
import type { Adapter, SendOutcome, SendRequest } from "./port";
import { receiptUrlFor } from "./receipt-url";
import { makeAdapter, providerTable } from "./registry";
import type { ProviderId } from "./schema";
import { findSettings } from "./settings";

const DETAIL_MAX = 1_000;

/** Operators whose test is under way. */
const underWay = () => perProcess("providers.tests", () => new Set<string>());

/** An adapter of the test's own, so that no connection outlives it; the sandbox has nothing to connect to. */
async function adapterForTest(id: ProviderId): Promise<Adapter & { close?: () => Promise<void> }> {
  const row = await prisma().provider.findUnique({ where: { id }, select: { settingsSealed: true } });
  const { settings, problem } = findSettings(id, row?.settingsSealed ?? null);
  const adapter = settings ? makeAdapter(id, settings) : (await providerTable()).adapterOf(id);
  if (adapter) return adapter;
  throw invalidRequest(problem ?? `${id} has no settings yet.`, { param: "id", reason: "provider_not_configured" });
}

function presentOutcome(outcome: SendOutcome) {
  if (outcome.kind === "accepted") {
    const { providerMessageIds, lost } = outcome;
    return {
      outcome: outcome.kind,
      code: lost ? storableText(lost.code, DETAIL_MAX) : null,
      detail: lost ? storableText(lost.detail, DETAIL_MAX) : null,
      provider_message_ids: [...providerMessageIds],
    };
  }
  return {
    outcome: outcome.kind,
    code: storableText(outcome.code, DETAIL_MAX),
    detail: storableText(sentences(outcome.detail, outcome.said), DETAIL_MAX),
    provider_message_ids: [],
  };
}

function sendRequestOf({ id, to, from, body }: TestProviderInput): SendRequest {
  const { encoding, segments } = segmentText(body);
  const messageId = newId("message");
  const reference = `${messageId}-1`;
  return {
    message: { id: messageId, to, from, body, encoding, segments },
    reference,
    receiptUrl: receiptUrlFor(id, reference),
  };
}

async function tryOut(adapter: Adapter, sendRequest: SendRequest): Promise<SendOutcome> {
  try {
    return await adapter.send(sendRequest);
  } catch (thrown) {
    log("error", "provider.test_failed", { provider: adapter.id, ...errorFields(thrown) });
    return { kind: "unknown", code: "adapter_failed", detail: "The adapter failed; the log says why." };
  }
}

/**
 * Hands one message to a provider and tells how that ended, even when it is drained or its breaker is open. Nothing is
 * billed or stored; the recipient gets a real message.
 * @throws 403 for whoever is no operator, 429 while the same operator's last test is under way, 400
 *   `provider_not_configured`.
 */
export async function testProvider(actor: Actor, input: TestProviderInput): Promise<ProviderTest> {
  requireOperator(actor);
  const who = nameOf(actor);
  if (underWay().has(who)) throw rateLimited("Your last test is still under way.", { reason: "test_under_way" });
  underWay().add(who);
  try {
    const adapter = await adapterForTest(input.id);
    const sendRequest = sendRequestOf(input);
    const startedAt = now().getTime();
    const outcome = await tryOut(adapter, sendRequest).finally(() => adapter.close?.().catch(() => undefined));
    const latencyMs = now().getTime() - startedAt;
    log("info", "provider.tested", { provider: input.id, outcome: outcome.kind, latencyMs, by: who });
    return { ...presentOutcome(outcome), reference: sendRequest.reference, latency_ms: latencyMs };
  } finally {
    underWay().delete(who);
  }
}
