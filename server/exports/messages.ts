import { readPool } from "../core/db";
import { readMessages } from "../messages/lists/list-messages";
import { startWalk } from "../messages/lists/walk-messages";
import { presentMessage } from "../messages/present";
import type { Message } from "../messages/schema";
import type { CsvRow } from "./csv";
import type { ExportInput } from "./schema";

type MessagesInput = Extract<ExportInput, { list: "messages" }>;

/** Rows of a statement: few enough that it takes milliseconds. */
const PAGE_ROWS = 500;
/** Messages that a statement walks over at most, where few of them are wanted. */
const STEP_MAX = 8_000;

const COLUMNS: Readonly<Record<string, (message: Message) => string | number | null>> = {
  id: ({ id }) => id,
  created_at: ({ created_at: at }) => at,
  to: ({ to }) => to,
  from: ({ from }) => from,
  body: ({ body }) => body,
  encoding: ({ encoding }) => encoding,
  segments: ({ segments }) => segments,
  status: ({ status }) => status,
  error_code: ({ error }) => error?.code ?? null,
  error_message: ({ error }) => error?.message ?? null,
  cost: ({ cost }) => cost,
  currency: ({ currency }) => currency,
  reference: ({ reference }) => reference,
  sent_at: ({ sent_at: at }) => at,
  delivered_at: ({ delivered_at: at }) => at,
  failed_at: ({ failed_at: at }) => at,
};

/** The account's messages that pass the filters, newest first. Later ones do not move those that are still to come. */
export function messagePages(accountId: string, { list: _, ...filter }: MessagesInput) {
  async function* read(): AsyncGenerator<CsvRow[], void> {
    const walk = await startWalk(readPool(), accountId, filter, { maxStep: STEP_MAX, beyond: false });
    let before: string | null = null;
    for (let limit = PAGE_ROWS; ; ) {
      const { walked, last, total, ids } = await walk({ before, limit, skip: 0, take: PAGE_ROWS });
      const rows = await readMessages(readPool(), ids);
      yield rows.map(presentMessage).map((message) => Object.values(COLUMNS).map((column) => column(message)));
      const isWhole = total <= ids.length;
      if (isWhole && walked < limit) return;
      before = (isWhole ? last : ids.at(-1)) ?? null;
      limit = total < PAGE_ROWS / 2 ? Math.min(limit * 2, STEP_MAX) : PAGE_ROWS;
    }
  }
  return { header: Object.keys(COLUMNS), pages: read() };
}
