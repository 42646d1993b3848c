/** Sends a test message directly to one provider, without routes, billing and storage, to check its settings. */
import { requireAuthority } from "../auth/authority";
import { type Actor, nameOf, requireOperator } from "../core/actor";
import { prisma } from "../core/db";
import { invalidRequest, rateLimited } from "../core/errors";
import { newId } from "../core/ids";
import { errorFields, log } from "../core/log";
import { defineProcessValue } from "../core/process";
import { storableText } from "../core/wire";
import { segmentText } from "../messages/segments";
import { sentences } from "./http/response";
import type { ProviderTest, TestProviderInput } from "./operator-schema";
import type { Adapter, SendOutcome, SendRequest } from "./port";
import { receiptUrlFor } from "./receipt-url";
import { makeAdapter, providerTable } from "./registry";
import type { ProviderId } from "./schema";
import { findSettings } from "./settings";

/**
 * The operator chooses the address, which may not be a provider's, so only a code and a short sentence of its response are shown.
 */
const CODE_MAX = 64;
const DETAIL_MAX = 200;
const ID_MAX = 100;
/** A long text is taken in parts, each under an id; showing the first few is enough. */
const IDS_MAX = 10;

/** Operators with a test under way. */
const underWay = defineProcessValue("providers.tests", () => new Set<string>());

/** An adapter for this test only, so that no connection survives it; the sandbox needs no connection. */
async function adapterForTest(id: ProviderId): Promise<Adapter & { close?: () => Promise<void> }> {
  const row = await prisma().provider.findUnique({ where: { id }, select: { settingsSealed: true } });
  const { settings, problem } = findSettings(id, row?.settingsSealed ?? null);
  const adapter = settings ? makeAdapter(id, settings) : (await providerTable()).openAdapter(id);
  if (adapter) return adapter;
  throw invalidRequest(problem ?? `${id} has no settings yet.`, { param: "id", reason: "provider_not_configured" });
}

function presentOutcome(outcome: SendOutcome) {
  if (outcome.kind === "accepted") {
    const { providerMessageIds, lost } = outcome;
    return {
      outcome: outcome.kind,
      code: lost ? storableText(lost.code, CODE_MAX) : null,
      detail: lost ? storableText(lost.detail, DETAIL_MAX) : null,
      provider_message_ids: providerMessageIds.slice(0, IDS_MAX).map((id) => storableText(id, ID_MAX)),
    };
  }
  return {
    outcome: outcome.kind,
    code: storableText(outcome.code, CODE_MAX),
    detail: storableText(sentences(outcome.detail, outcome.providerDetail), DETAIL_MAX),
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

async function sendOnce(adapter: Adapter, sendRequest: SendRequest): Promise<SendOutcome> {
  try {
    return await adapter.send(sendRequest);
  } catch (thrown) {
    log("error", "provider.test_failed", { provider: adapter.id, ...errorFields(thrown) });
    return { kind: "unknown", code: "adapter_failed", detail: "The adapter failed; the log says why." };
  }
}

/**
 * Sends one message through a provider, even if it is drained or its breaker is open, and returns the outcome. Nothing
 * is billed or stored; the recipient gets a real message.
 * @throws 403 unless the actor is an operator, 429 while the same operator's last test is under way, 400
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
    await requireAuthority(actor);
    const startedAt = performance.now();
    const outcome = await sendOnce(adapter, sendRequest).finally(() => adapter.close?.().catch(() => undefined));
    const latencyMs = Math.round(performance.now() - startedAt);
    log("info", "provider.tested", { provider: input.id, outcome: outcome.kind, latency_ms: latencyMs, by: who });
    return { ...presentOutcome(outcome), reference: sendRequest.reference, latency_ms: latencyMs };
  } finally {
    underWay().delete(who);
  }
}
