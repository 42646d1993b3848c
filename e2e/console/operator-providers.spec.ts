import { databaseUrlOf, openDatabase } from "../support/books";
import { signInOperator } from "../support/sign-in";
import { expect, test } from "../test";

const SECRET = "upstream-secret-4711";
const SIGNING_SECRET = "upstream-signing-0815";

test("an unknown provider is reported as missing, with a link to the list", async ({ page, service }) => {
  await signInOperator(page, service);
  await page.goto("/operator/providers/nobody");
  await expect(page.getByRole("heading", { level: 1, name: "Provider not found" })).toBeVisible();
  await expect(page.getByRole("navigation", { name: "Main" })).toHaveCount(1);
  await page.getByRole("link", { name: "All providers" }).click();
  await expect(page).toHaveURL("/operator/providers");
});

test("a provider without settings has no health, in the list and on its page", async ({ page, service }) => {
  await signInOperator(page, service);
  await page.goto("/operator/providers");
  const row = page.getByRole("table", { name: "Providers" }).getByRole("row", { name: /^Bandwidth/ });
  await expect(row).toContainText("Not configured");
  await expect(row).not.toContainText("100%");
  await row.getByRole("link", { name: "Bandwidth" }).click();
  await expect(page.getByTestId("provider-state")).toHaveText("Not configured");
  await expect(page.getByText("Share of its route weight in use")).toBeVisible();
  await expect(page.getByText("100%")).toBeHidden();
});

test("an operator enters a provider's settings, and no secret is ever shown again", async ({ page, service }) => {
  const responses: string[] = [];
  page.on("response", async (response) => {
    if (response.url().includes("/api/trpc/")) responses.push(await response.text().catch(() => ""));
  });
  await signInOperator(page, service);
  await page.goto("/");
  await page.getByRole("link", { name: "Providers", exact: true }).click();
  await page.getByRole("link", { name: "MessageBird" }).click();
  await expect(page.getByTestId("provider-state")).toHaveText("Not configured");
  await expect(page.getByRole("button", { name: "Copy receipt URL" })).toBeVisible();

  await test.step("a missing setting is reported at its field", async () => {
    await page.getByLabel("Access key").fill(SECRET);
    await page.getByRole("button", { name: "Save settings" }).click();
    await expect(page.getByText("Is missing")).toBeVisible();
  });

  await test.step("a link asks before entries are lost", async () => {
    const question = page.getByRole("dialog", { name: "Discard what you have entered?" });
    const ask = async () => {
      await question.getByRole("button", { name: "Cancel" }).click();
      await expect(question).toBeHidden();
      await expect(page.getByLabel("Access key")).toHaveValue(SECRET);
    };
    await page.getByRole("link", { name: "All providers" }).click();
    await ask();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Search" }).fill("Webhooks");
    await page.getByRole("option", { name: "Webhooks", exact: true }).click();
    await ask();
    // A link to a place on the same page does not leave it.
    await page.getByRole("link", { name: "Skip to content" }).press("Enter");
    await expect(page.locator("#content")).toBeFocused();
    await expect(question).toBeHidden();
  });

  await test.step("saved secrets are in use, and not shown", async () => {
    await page.getByLabel("Signing key").fill(SIGNING_SECRET);
    await page.getByRole("button", { name: "Save settings" }).click();
    await expect(page.getByTestId("provider-state")).toHaveText("Working");
    await page.reload();
    for (const label of ["Access key", "Signing key"]) {
      await expect(page.getByLabel(label)).toHaveValue("");
      await expect(page.getByLabel(label)).toHaveAttribute("placeholder", "Set, not shown");
    }
  });

  await test.step("an empty secret keeps the stored one, but not for another address", async () => {
    await page.getByRole("textbox", { name: "Base URL", exact: true }).fill("http://127.0.0.1:9");
    await page.getByRole("button", { name: "Save settings" }).click();
    await expect(page.getByText("Must be entered again, as the address has changed")).toBeVisible();
    await page.getByLabel("Access key").fill(SECRET);
    await page.getByLabel("Signing key").fill(SIGNING_SECRET);
    await page.getByRole("button", { name: "Save settings" }).click();
    await expect(page.getByText("Settings of MessageBird saved")).toBeVisible();
    await page.reload();
    await page.getByLabel("Access key").fill(`${SECRET}-2`);
    await page.getByRole("button", { name: "Save settings" }).click();
    await expect(page.getByText("Settings of MessageBird saved")).toBeVisible();
    await page.reload();
    await expect(page.getByTestId("provider-state")).toHaveText("Working");
    await expect(page.getByRole("textbox", { name: "Base URL", exact: true })).toHaveValue("http://127.0.0.1:9");
  });

  await test.step("a test shows the provider's response", async () => {
    await page.getByLabel("To", { exact: true }).fill("+14155550123");
    await page.getByLabel("From", { exact: true }).fill("ACME");
    await page.getByRole("button", { name: "Send test" }).click();
    await expect(page.getByText("The provider did not accept the message")).toBeVisible();
    await expect(page.getByText("econnrefused")).toBeVisible();
  });

  await test.step("deleted settings are gone", async () => {
    await page.getByRole("button", { name: "Delete settings" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete settings" }).click();
    await expect(page.getByTestId("provider-state")).toHaveText("Not configured");
    await expect(page.getByLabel("Access key")).not.toHaveAttribute("placeholder", /./);
  });

  expect(responses.length).toBeGreaterThan(5);
  expect(responses.join("\n")).not.toContain(SECRET);
  expect(responses.join("\n")).not.toContain(SIGNING_SECRET);
});

test("an operator removes an optional secret of a provider", async ({ page, service }) => {
  await signInOperator(page, service);
  await page.goto("/operator/providers/sinch");
  await page.getByLabel("Service plan ID").fill("plan");
  await page.getByLabel("API token").fill(SECRET);
  await page.getByLabel("Webhook secret").fill(SIGNING_SECRET);
  await page.getByRole("button", { name: "Save settings" }).click();
  await expect(page.getByRole("textbox", { name: "Webhook secret" })).toHaveAttribute("placeholder", "Set, not shown");
  await page.getByRole("button", { name: "Remove Webhook secret" }).click();
  await page.getByRole("button", { name: "Save settings" }).click();
  await expect(page.getByRole("textbox", { name: "Webhook secret" })).not.toHaveAttribute("placeholder", /./);
  await page.reload();
  await expect(page.getByLabel("API token")).toHaveAttribute("placeholder", "Set, not shown");
  await expect(page.getByRole("textbox", { name: "Webhook secret" })).not.toHaveAttribute("placeholder", /./);
  await page.getByRole("button", { name: "Delete settings" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete settings" }).click();
  await expect(page.getByTestId("provider-state")).toHaveText("Not configured");
});

test("a change is not reported as failed when its response is lost", async ({ page, service }) => {
  await signInOperator(page, service);
  await page.goto("/operator/providers/clickatell");
  await expect(page.getByTestId("provider-state")).toHaveText("Not configured");

  await test.step("settings that are saved while the page cannot reload them", async () => {
    await page.route("**/api/trpc/*providers.get*", (route) => route.abort());
    await page.getByLabel("API key").fill(SECRET);
    await page.getByRole("button", { name: "Save settings" }).click();
    await expect(page.getByText("Settings of Clickatell saved")).toBeVisible();
    await expect(page.getByLabel("API key")).toHaveValue("");
    await expect(page.getByRole("button", { name: "Save settings" })).toBeDisabled();
    await expect(page.getByText("The settings were not saved")).toBeHidden();
    await page.unroute("**/api/trpc/*providers.get*");
    await expect(page.getByTestId("provider-state")).toHaveText("Working");
    await expect(page.getByLabel("API key")).toHaveAttribute("placeholder", "Set, not shown");
  });

  await test.step("a test whose response is lost may have been sent", async () => {
    await page.getByRole("textbox", { name: "Base URL", exact: true }).fill("http://127.0.0.1:9");
    await page.getByLabel("API key").fill(SECRET);
    await page.getByRole("button", { name: "Save settings" }).click();
    await expect(page.getByLabel("API key")).toHaveValue("");
    await page.route("**/api/trpc/*providers.test*", (route) => route.fetch().then(() => route.abort()), { times: 1 });
    await page.getByLabel("To", { exact: true }).fill("+14155550123");
    await page.getByLabel("From", { exact: true }).fill("ACME");
    await page.getByRole("button", { name: "Send test" }).click();
    await expect(page.getByText("The test may have been sent")).toBeVisible();
    await expect(page.getByText("The test was not sent")).toBeHidden();
  });

  await page.getByRole("button", { name: "Delete settings" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete settings" }).click();
  await expect(page.getByTestId("provider-state")).toHaveText("Not configured");
});

test("an operator drains a provider, resumes it and limits its throughput", async ({ page, service }) => {
  await signInOperator(page, service);
  await page.goto("/operator/providers/africastalking");
  await page.getByLabel("Username").fill("sandbox");
  await page.getByLabel("API key").fill(SECRET);
  await page.getByRole("button", { name: "Save settings" }).click();
  await expect(page.getByTestId("provider-state")).toHaveText("Working");

  await page.getByRole("button", { name: "Drain" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  await expect(page.getByRole("dialog")).toBeHidden();
  await expect(page.getByTestId("provider-state")).toHaveText("Working");
  await page.getByRole("button", { name: "Drain" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Drain" }).click();
  await expect(page.getByRole("dialog")).toBeHidden();
  await expect(page.getByTestId("provider-state")).toHaveText("Drained");
  await page.goto("/operator/providers?show=in_use");
  await expect(page.getByRole("row", { name: /Africa’s Talking/ })).toContainText("Drained");

  await page.getByRole("link", { name: "Africa’s Talking" }).click();
  await page.getByRole("button", { name: "Resume" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Resume" }).click();
  await expect(page.getByRole("dialog")).toBeHidden();
  await expect(page.getByTestId("provider-state")).toHaveText("Working");

  await page.getByLabel("Segments per second").fill("12.5");
  await page.getByRole("button", { name: "Save limit" }).click();
  await expect(page.getByText("at most 12.5 segments per second")).toBeVisible();
  await page.reload();
  await expect(page.getByLabel("Segments per second")).toHaveValue("12.5");
});

test("calls that the egress proxy blocked are listed as such on the provider's page", async ({ page, service }) => {
  const database = await openDatabase(databaseUrlOf(service));
  await database
    .rows(
      `INSERT INTO provider_minutes (provider, minute, egress_failed) VALUES ('plivo', date_trunc('minute', now()), 1234)
       ON CONFLICT (provider, minute) DO UPDATE SET egress_failed = 1234`,
    )
    .finally(database.close);
  await signInOperator(page, service);
  await page.goto("/operator/providers/plivo");
  const calls = page.getByRole("region", { name: "Calls per minute" });
  await expect(calls).toContainText("Egress proxy unavailable or refusing");
  await expect(calls).toContainText("1,234");
  await expect(calls).not.toContainText("Throttled");
});

test("operator pages are a 404 for other users", async ({ console: page, account }) => {
  expect(account.accountId).toMatch(/^acc_/);
  await page.goto("/");
  await expect(page.getByRole("link", { name: "Settings", exact: true })).toBeVisible();
  await expect(page.getByRole("link", { name: "Providers", exact: true })).toBeHidden();
  for (const place of ["providers", "providers/twilio", "routes", "accounts", "senders", "suppressions"]) {
    expect((await page.goto(`/operator/${place}`))?.status()).toBe(404);
  }
});
