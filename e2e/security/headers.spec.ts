import { openSession } from "../../test/network/operator-session";
import { ask } from "../../test/network/plain-http";
import { expect, fromSomewhere, test } from "../support/edge-test";
import { startWeb } from "../support/processes";

const EVERYWHERE = {
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "strict-origin-when-cross-origin",
  "cross-origin-opener-policy": "same-origin",
};

test("every response has the headers that protect its reader", async ({ web }) => {
  for (const path of ["/", "/sign-in", "/nowhere", "/api/health", "/api/v1/balance", "/api/v1/openapi.json"]) {
    const { headers } = await ask(web.url, { path, headers: fromSomewhere() });
    expect(headers, path).toMatchObject(EVERYWHERE);
    expect(headers["strict-transport-security"], path).toBeUndefined();
  }
});

test("behind https browsers are instructed to stay there", async ({ service }) => {
  const web = await startWeb(service, { PUBLIC_URL: "https://sms.example.com" });
  for (const path of ["/", "/sign-in", "/api/v1/balance"]) {
    const { headers } = await ask(web.url, { path });
    expect(headers["strict-transport-security"], path).toMatch(/^max-age=31536000/);
  }
  await web.stop();
});

test("no page lets a script run that is not its own", async ({ web, account }) => {
  const cookie = (await openSession(web.url, account)).join("; ");
  const scriptsOf = async (path: string, headers: Record<string, string>) => {
    const policy = String((await ask(web.url, { path, headers })).headers["content-security-policy"]);
    return policy.split("; ").find((directive) => directive.startsWith("script-src ")) ?? "";
  };
  for (const path of ["/sign-in", "/docs", "/docs/limits", "/nowhere"]) {
    const scripts = await scriptsOf(path, fromSomewhere());
    expect(scripts, path).toContain("'sha256-");
    expect(scripts, path).not.toContain("unsafe");
  }
  const [one, other] = [await scriptsOf("/messages", { cookie }), await scriptsOf("/messages", { cookie })];
  const nonceIn = (scripts: string) => /'nonce-[\w+/]+=*'/.exec(scripts)?.[0];
  expect(one).not.toContain("unsafe");
  expect(nonceIn(one)).toBeDefined();
  expect(nonceIn(one)).not.toBe(nonceIn(other));
  // A nonce sent by the caller is not taken for ours.
  const brought = "script-src 'nonce-brought'";
  const page = await ask(web.url, { path: "/messages", headers: { cookie, "content-security-policy": brought } });
  expect(page.text).not.toContain("brought");
});

test("under that policy people can sign in, return to their page, and see the page for unknown addresses", async ({
  page,
  web,
  account,
}) => {
  // The smoke tests, which open every page, and the tests of the reference also fail on a refused script.
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (/content security policy/i.test(message.text())) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  // A target in which a path would become a host.
  await page.goto(`${web.url}/sign-in?next=${encodeURIComponent("/.//evil.example")}`);
  await page.getByLabel("Email").fill(account.email);
  await page.getByLabel("Password", { exact: true }).fill(account.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL(`${web.url}/`);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await page.goto(`${web.url}/nowhere`);
  await expect(page.getByRole("heading").first()).toBeVisible();
  // A signed-in person is redirected from the page for anonymous visitors.
  await page.goto(`${web.url}/sign-in?next=/usage`);
  await page.waitForURL(`${web.url}/usage`);
  expect(complaints).toEqual([]);
});
