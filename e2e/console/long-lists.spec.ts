/** Lists of an account that has many of everything. */
import { pool } from "@/server/core/db";
import { newId } from "@/server/core/ids";
import { barriersOf } from "../support/axe";
import { expect, test } from "../test";

const MANY = 60;
const PER_PAGE = 25;

test("a long list of API keys has pages and a search", async ({ console: page, account }) => {
  await pool().query(
    `INSERT INTO api_keys (id, account_id, name, key_hash, key_hint, permissions, allowed_ips)
     SELECT 'key_' || $1::text || n, $2, 'Program ' || n, $1::text || n, 'ds_live_…' || n, '{sms:send}', '{}' FROM generate_series(1, $3) n`,
    [newId("apiKey"), account.accountId, MANY],
  );
  await page.goto("/api-keys");
  const table = page.getByRole("table", { name: "API keys" });
  const rows = table.getByRole("rowgroup").last().getByRole("row");
  await expect(rows).toHaveCount(PER_PAGE);
  await expect(page.getByRole("status").filter({ hasText: `1–25 of ${MANY + 1}` })).toBeVisible();
  await page.getByRole("button", { name: "Page 3" }).click();
  await expect(rows).toHaveCount((MANY + 1) % PER_PAGE);
  const search = page.getByRole("searchbox", { name: "Search in API keys" });
  await search.fill("program 17");
  await expect(rows).toHaveCount(1);
  await expect(table.getByRole("link", { name: "Program 17" })).toBeVisible();
  expect(await barriersOf(page)).toEqual([]);
  await search.fill("no such program");
  await page.getByRole("button", { name: "Show all" }).click();
  await expect(rows).toHaveCount(PER_PAGE);
});

test("a person with many accounts reaches what follows them in the menu, and a filter has every sender ID", async ({
  console: page,
  account,
}) => {
  await pool().query(
    `WITH made AS (INSERT INTO accounts (id, email, name)
       SELECT 'acc_' || right($1, 9) || lpad(n::text, 3, '0'), n || '@many.example', 'Shop ' || n FROM generate_series(1, $2) n RETURNING id)
     INSERT INTO account_members (account_id, user_id, role)
     SELECT made.id, m.user_id, 'viewer' FROM made, account_members m WHERE m.account_id = $3`,
    [newId("user"), MANY, account.accountId],
  );
  await pool().query(
    `INSERT INTO senders (id, account_id, sender_id, type, status)
     SELECT 'snd_' || $1::text || n, $2, 'Shop ' || n, 'alphanumeric', CASE WHEN n <= 100 THEN 'rejected' ELSE 'suspended' END
     FROM generate_series(1, 150) n`,
    [newId("sender"), account.accountId],
  );
  await page.goto("/messages?from=");
  await page.getByRole("button", { name: "More filters" }).click();
  const filter = page.getByRole("combobox", { name: "Sender" });
  await expect(filter.getByRole("option", { includeHidden: true })).toHaveCount(1 + 50 + 1);
  await page.getByRole("button", { name: "Account menu" }).click();
  await expect(page.getByRole("menuitem", { name: "Shop 1 viewer" })).toBeVisible();
  await expect(page.getByRole("menuitem", { name: "Sign out" })).toBeInViewport({ ratio: 1 });
  expect(await barriersOf(page)).toEqual([]);
});
