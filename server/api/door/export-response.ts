/** Writes a list as a CSV file while reading it. */
import type { ServerResponse } from "node:http";
import { toCsv } from "../../exports/csv";
import type { Export } from "../../exports/service";
import { letApiGoFirst } from "./api-first";

/** A reader that takes nothing for this time, in milliseconds, counts as gone. */
const STALLED_MS = 30_000;

/** Waits until the reader has taken what was written. @returns whether there is still a reader. */
function drained(response: ServerResponse): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (isThere: boolean) => () => {
      clearTimeout(timer);
      response.off("drain", onDrain).off("close", onClose);
      resolve(isThere);
    };
    const onDrain = settle(true);
    const onClose = settle(false);
    const timer = setTimeout(onClose, STALLED_MS);
    response.once("drain", onDrain).once("close", onClose);
  });
}

/**
 * Writes an export as the response. The first page is read before the response begins, so that a failure there is a proper refusal.
 * @throws errors of reading. A response that has begun is then cut off, so that an incomplete file does not look complete.
 */
export async function writeExport(response: ServerResponse, { fileName, header, pages }: Export): Promise<void> {
  try {
    for (let page = await pages.next(), isFirst = true; !page.done; page = await pages.next(), isFirst = false) {
      // The reader left while the page was being read, and no later event would report it.
      if (response.destroyed) return;
      if (isFirst) {
        response.writeHead(200, {
          "content-type": "text/csv; charset=utf-8",
          "content-disposition": `attachment; filename="${fileName}"`,
          "cache-control": "no-store",
        });
      }
      if (!response.write(toCsv(isFirst ? [header, ...page.value] : page.value)) && !(await drained(response))) {
        response.destroy();
        return;
      }
      await letApiGoFirst();
      if (response.destroyed) return;
    }
    response.end();
  } catch (thrown) {
    if (response.headersSent) response.destroy();
    throw thrown;
  } finally {
    await pages.return();
  }
}
