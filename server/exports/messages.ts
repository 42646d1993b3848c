import { readPool } from "../core/db";
import { readMessagesBefore } from "../messages/list-messages";
import { presentMessage } from "../messages/present";
import type { Message } from "../messages/schema";
import type { CsvRow } from "./csv";
import type { ExportInput } from "./schema";

type MessagesInput = Extract<ExportInput, { list: "messages" }>;

/** Rows of a statement: few enough that it takes milliseconds. */
const PAGE_ROWS = 500;

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

/**
 * No index finds a part of a number. With a plus it is the beginning.
 * @returns whether a number has the part.
 */
const hasPart = (part: string | undefined) => (to: string) =>
  part === undefined || (part.startsWith("+") ? to.startsWith(part) : to.includes(part));

/** The account's messages that pass the filters, newest first. Later ones do not move those that are still to come. */
export function messagePages(accountId: string, { part, list: _, ...filter }: MessagesInput) {
  const isWanted = hasPart(part);
  async function* read(): AsyncGenerator<CsvRow[], void> {
    for (let before: string | null = null; ; ) {
      const rows = await readMessagesBefore(readPool(), accountId, filter, { before, limit: PAGE_ROWS });
      const wanted = rows.filter(({ toNumber }) => isWanted(toNumber)).map(presentMessage);
      yield wanted.map((message) => Object.values(COLUMNS).map((read) => read(message)));
      const last = rows.at(-1);
      if (!last || rows.length < PAGE_ROWS) return;
      before = last.id;
    }
  }
  return { header: Object.keys(COLUMNS), pages: read() };
}
