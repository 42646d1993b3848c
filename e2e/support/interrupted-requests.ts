/** Requests of a page that are held back, or whose responses are lost. */
import type { Page } from "@playwright/test";

const callsOf = (procedure: string): string => `**/api/trpc/*${procedure}*`;

/** Lets the service carry out the next call of a procedure, but cuts the connection before its response arrives. */
export async function loseResponse(page: Page, procedure: string): Promise<void> {
  await page.route(callsOf(procedure), (route) => route.fetch().then(() => route.abort()), { times: 1 });
}

/**
 * The same, and no other call gets through afterwards.
 * @returns a function that restores the connection.
 */
export async function loseConnection(page: Page, procedure: string): Promise<() => Promise<void>> {
  await page.route("**/api/trpc/**", async (route) => {
    if (route.request().url().includes(procedure)) await route.fetch();
    await route.abort();
  });
  return () => page.unroute("**/api/trpc/**");
}

/** The addresses of the pages' scripts. */
export const SCRIPTS = "**/_next/static/**/*.js*";

/** Holds back all requests of a page to these addresses. @returns a function that lets them go on. */
export async function holdRequests(page: Page, addresses: string | RegExp): Promise<() => void> {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(addresses, (route) => released.then(() => route.continue()));
  return release;
}
