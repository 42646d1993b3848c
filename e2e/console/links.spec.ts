import { expect, test } from "../test";

test("a page is fetched ahead once somebody points at its link, and no other one is", async ({ console: page }) => {
  const ahead = new Set<string>();
  page.on("request", (request) => {
    if (request.headers()["next-router-prefetch"]) ahead.add(new URL(request.url()).pathname);
  });
  await page.goto("/usage");
  await expect(page.getByRole("heading", { level: 1, name: "Usage" })).toBeVisible();
  const navigation = page.getByRole("navigation").first();
  for (const name of ["Messages", "Senders"]) {
    await navigation.getByRole("link", { name, exact: true }).hover();
    await expect.poll(() => [...ahead]).toContain(`/${name.toLowerCase()}`);
  }
  expect([...ahead]).toEqual(["/messages", "/senders"]);
});
