import type { Page } from "@playwright/test";
import { openSession } from "../../test/network/operator-session";
import type { Service } from "./service";

/**
 * Signs in as the operator that the first start created. Skips the form, which the tests of the
 * customers' pages cover.
 */
export async function signInOperator(page: Page, service: Service): Promise<void> {
  const cookies = (await openSession(service.url, service)).map((cookie) => {
    const end = cookie.indexOf("=");
    return { name: cookie.slice(0, end), value: cookie.slice(end + 1), url: service.url };
  });
  await page.context().addCookies(cookies);
}
