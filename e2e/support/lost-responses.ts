import type { Page } from "@playwright/test";

const callsOf = (procedure: string): string => `**/api/trpc/*${procedure}*`;

/** The next call of a procedure is carried out, and the connection is cut before its response arrives. */
export async function loseResponse(page: Page, procedure: string): Promise<void> {
  await page.route(callsOf(procedure), (route) => route.fetch().then(() => route.abort()), { times: 1 });
}

/**
 * The same, and nothing else gets through afterwards.
 * @returns what makes the connection anew.
 */
export async function loseConnection(page: Page, procedure: string): Promise<() => Promise<void>> {
  await page.route("**/api/trpc/**", async (route) => {
    if (route.request().url().includes(procedure)) await route.fetch();
    await route.abort();
  });
  return () => page.unroute("**/api/trpc/**");
}
