import type { Page } from "@playwright/test";

/** The message of {@link refuseOnce}'s refusal, which names no field. */
export const REFUSAL = "Not at the moment.";

/** Has the next call of a procedure refused without being carried out. */
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
