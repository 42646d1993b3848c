/** Replies from handsets: inbound messages, and STOP and START (docs/receiving.md, docs/sending.md). */
import { expect } from "@playwright/test";
import type { InboundMessage } from "@/server/inbound/schema";
import type { CheckedApi } from "../checked-api";
import { ISO } from "../follow";
import { expectStatus, isRefused, NOT_FOUND, passes } from "./agreement";
import type { Prepared } from "./creation";
import { newestFirst, paginationOf } from "./message-operations";
import { bare, Disagreement, type Inbound, type Side, type State, widenWays } from "./model-state";

const STOPS = ["STOP", "STOPALL", "STOP ALL", "UNSUBSCRIBE", "CANCEL", "END", "QUIT", "REVOKE", "OPTOUT", "OPT OUT"];
const STARTS = ["START", "UNSTOP"];

/** The effect of a text: a keyword and nothing else, in either case and with any punctuation. */
function actionOf(text: string): Inbound["action"] {
  const word = text.replaceAll(/[^A-Za-z ]/g, "").trim();
  if (STOPS.includes(word.toUpperCase())) return "opt_out";
  return STARTS.includes(word.toUpperCase()) ? "opt_in" : null;
}

/** A text that a handset has sent to a number, in E.164 form, or to a short code. */
export type Reply = { from: string; to: string; body: string; providerId: string };

const wireOf = ({ reply, action, id }: Inbound) => ({
  ...{ id: id ?? expect.stringMatching(/^inb_[0-9a-z]{26}$/), object: "inbound_message" },
  ...{ from: reply.from, to: reply.to, body: reply.body, action },
  ...{ provider: "sandbox", provider_message_id: reply.providerId, received_at: ISO, created_at: ISO },
});

/** Compares the inbound message as a response shows it with the model. */
export function compareInbound(inbound: Inbound, given: unknown): void {
  expect(given).toEqual(wireOf(inbound));
  inbound.id = (given as InboundMessage).id;
}

function applyAction(side: Side, { from }: Reply, senderId: string, action: Inbound["action"]): void {
  const isOwn = (entry: Side["suppressions"][number]) =>
    entry.reason === "stop" && entry.number === from && entry.senderId === senderId;
  if (action === "opt_in") side.suppressions = side.suppressions.filter((entry) => !isOwn(entry));
  if (action === "opt_out" && !side.suppressions.some(isOwn)) {
    side.suppressions.push({ id: null, number: from, senderId, note: null, reason: "stop" });
  }
}

/** Compares what a reply, which the service has stored, has done to an account with the model. */
export async function judgeReply(state: State, side: Side, reply: Reply, rest: CheckedApi): Promise<void> {
  const sender = side.senders.find(({ senderId }) => bare(senderId) === bare(reply.to));
  const { items } = await rest.page<InboundMessage>(`/inbound?to=${encodeURIComponent(reply.to)}&limit=1`);
  const [shown] = items.filter((item) => item.provider_message_id === reply.providerId);
  // Test mode gets no replies.
  if (!side.isLive || !sender) {
    if (shown) throw new Disagreement(`${side.name} has got the reply ${JSON.stringify(shown)}.`);
    return;
  }
  // The approval of a new sender is not known.
  if (!shown && sender.status === "pending") return;
  if (!shown) throw new Disagreement(`${side.name} has not got the reply ${JSON.stringify(reply)}.`);
  sender.status = "approved";
  const inbound: Inbound = { id: null, reply, action: actionOf(reply.body), step: state.step };
  compareInbound(inbound, shown);
  side.inbound.push(inbound);
  applyAction(side, reply, sender.senderId, inbound.action);
  widenWays(side);
}

/** GET /inbound, filtered by the person or the number if these are not null. */
export function prepareInbound(keyId: string, from: string | null, to: string | null, limit: number): Prepared {
  const query = new URLSearchParams({ limit: String(limit) });
  if (from !== null) query.set("from", from);
  if (to !== null) query.set("to", to);
  return {
    keyId,
    ask: { method: "GET", path: `/inbound?${query}` },
    judge: (state, response) => {
      const caller = passes(state, keyId, response, ["sms:read"]);
      if (!caller) return;
      expectStatus(response, 200);
      const selected = caller.side.inbound.filter(
        ({ reply }) => (from === null || reply.from === from) && (to === null || bare(reply.to) === bare(to)),
      );
      const listed = newestFirst(selected.map((inbound) => ({ ...inbound, id: inbound.id ?? "" })));
      expect(response.body.pagination).toEqual(paginationOf(listed.length, 1, limit));
      expect(response.body.data).toEqual(listed.slice(0, limit).map(wireOf));
    },
  };
}

/** GET /inbound/{id}. */
export const prepareReadInbound = (keyId: string, id: string): Prepared => ({
  keyId,
  ask: { method: "GET", path: `/inbound/${id}` },
  judge: (state, response) => {
    const caller = passes(state, keyId, response, ["sms:read"]);
    if (!caller) return;
    const inbound = caller.side.inbound.find((each) => each.id === id);
    if (isRefused(response, { certain: inbound ? [] : [NOT_FOUND], possible: [] }) || !inbound) return;
    compareInbound(inbound, response.body.data);
  },
});
