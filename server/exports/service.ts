import { sessionHasEnded } from "../auth/sessions/ended";
import { isSessionOpen } from "../auth/sessions/sessions";
import type { SessionActor } from "../core/actor";
import { now, SECOND_MS } from "../core/clock";
import type { CsvRow } from "./csv";
import { messagePages } from "./messages";
import type { ExportInput } from "./schema";
import { suppressionPages } from "./suppressions";

/** A list as a file: `pages` of rows are read one after the other, the newest row first. */
export type Export = { fileName: string; header: CsvRow; pages: AsyncGenerator<CsvRow[], void> };

/** Once the person's session or membership has ended, rows are read for this many milliseconds at most. */
const SESSION_CHECKED_EVERY_MS = SECOND_MS;

/** Reads the pages for as long as the person may read them. @throws 401 `no_session` */
async function* whileSignedIn(actor: SessionActor, pages: Export["pages"], everyMs: number): Export["pages"] {
  let checkedAt = Number.NEGATIVE_INFINITY;
  try {
    for (;;) {
      const at = performance.now();
      if (at - checkedAt >= everyMs) {
        if (!(await isSessionOpen(actor))) throw sessionHasEnded();
        checkedAt = at;
      }
      const page = await pages.next();
      if (page.done) return;
      yield page.value;
    }
  } finally {
    await pages.return();
  }
}

/**
 * The rows of the account's list that pass its filters. Nothing is read before the first page is asked for. A page that cannot be read
 * is an error of `pages`, 401 `no_session` once the person may no longer read: the file must then not look complete.
 */
export function exportList(actor: SessionActor, input: ExportInput, checkedEveryMs = SESSION_CHECKED_EVERY_MS): Export {
  const fileName = `${input.list}-${now().toISOString().slice(0, 10)}.csv`;
  const { header, pages } =
    input.list === "messages" ? messagePages(actor.accountId, input) : suppressionPages(actor.accountId, input);
  return { fileName, header, pages: whileSignedIn(actor, pages, checkedEveryMs) };
}
