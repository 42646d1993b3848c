import type { AccountActor } from "../../core/actor";
import { readPool } from "../../core/db";
import { toPage } from "../../core/wire";
import { presentMessage } from "../present";
import { readMessages } from "./list-messages";
import type { FoundMessages, SearchMessagesQuery } from "./search-schema";
import { startWalk } from "./walk-messages";

/** Messages scanned, newest first, for a condition that no index serves. */
const SEARCHED_MAX = 20_000;

/**
 * Console: messages that pass filters of any kind, newest first. Scans at most the newest 20,000 of the range that one index finds.
 */
export async function searchMessages(actor: AccountActor, query: SearchMessagesQuery): Promise<FoundMessages> {
  const { page, limit, ...filter } = query;
  const walk = await startWalk(readPool(), actor.accountId, filter, { maxStep: SEARCHED_MAX, beyond: true });
  const step = { before: null, limit: SEARCHED_MAX, skip: (page - 1) * limit, take: limit };
  const { walked, total, ids } = await walk(step);
  const rows = await readMessages(readPool(), ids);
  return { ...toPage(rows.map(presentMessage), total, query), searched: walked < SEARCHED_MAX ? null : walked };
}
