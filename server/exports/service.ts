import type { SessionActor } from "../core/actor";
import { now } from "../core/clock";
import type { CsvRow } from "./csv";
import { messagePages } from "./messages";
import type { ExportInput } from "./schema";
import { suppressionPages } from "./suppressions";

/** A list as a file: `pages` of rows are read one after the other, the newest row first. */
export type Export = { fileName: string; header: CsvRow; pages: AsyncGenerator<CsvRow[], void> };

/** The rows of the account's list that pass its filters. Nothing is read before the first page is asked for. */
export function exportList(actor: SessionActor, input: ExportInput): Export {
  const fileName = `${input.list}-${now().toISOString().slice(0, 10)}.csv`;
  const { header, pages } =
    input.list === "messages" ? messagePages(actor.accountId, input) : suppressionPages(actor.accountId, input);
  return { fileName, header, pages };
}
