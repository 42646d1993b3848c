import type { Page } from "@playwright/test";

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
