import type { Page } from "@playwright/test";

/** Words of the refusal of {@link refuseOnce}, which names no field. */
export const REFUSAL = "Not at the moment.";

/** The next call of a procedure is refused, and not carried out. */
export async function refuseOnce(page: Page, procedure: string): Promise<void> {
  const data = { httpStatus: 409, message: REFUSAL, details: {} };
  const error = { error: { message: REFUSAL, code: -32603, data } };
  await page.route(
    `**/api/trpc/${procedure}*`,
    (route) => {
      const body = new URL(route.request().url()).searchParams.has("batch") ? [error] : error;
      return route.fulfill({ status: 409, contentType: "application/json", body: JSON.stringify(body) });
    },
    { times: 1 },
  );
}
