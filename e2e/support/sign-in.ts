import type { Page } from "@playwright/test";
import type { Service } from "./service";

/** Signs in the operator of the running service, whom its first start made. */
export async function signInOperator(page: Page, service: Service): Promise<void> {
  await page.goto("/sign-in");
  await page.getByLabel("Email").fill(service.email);
  await page.getByLabel("Password", { exact: true }).fill(service.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL("/");
}
