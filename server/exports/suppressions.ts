import { readSuppressions } from "../suppressions/list";
import { presentSuppression } from "../suppressions/present";
import type { CsvRow } from "./csv";
import type { ExportInput } from "./schema";

type SuppressionsInput = Extract<ExportInput, { list: "suppressions" }>;

const PAGE_ROWS = 1_000;

const HEADER = ["number", "sender_id", "reason", "note", "created_at", "id"] as const;

/** The account's suppressions that pass the filters, newest first. */
export function suppressionPages(accountId: string, { number, sender_id: senderId }: SuppressionsInput) {
  async function* read(): AsyncGenerator<CsvRow[], void> {
    for (let before: string | undefined; ; ) {
      const rows = await readSuppressions({ accountId, number, senderId }, { before, skip: 0, take: PAGE_ROWS });
      yield rows.map(presentSuppression).map((row) => HEADER.map((name) => row[name]));
      const last = rows.at(-1);
      if (!last || rows.length < PAGE_ROWS) return;
      before = last.id;
    }
  }
  return { header: HEADER, pages: read() };
}
