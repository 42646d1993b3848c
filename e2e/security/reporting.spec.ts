import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { ask } from "../../test/network/plain-http";
import { expect, test } from "../support/edge-test";
import { startWeb } from "../support/processes";

const SECURITY_TXT = "/.well-known/security.txt";

test("security.txt names the contact of the installation, and is absent without one", async ({ web, service }) => {
  expect((await ask(web.url, { path: SECURITY_TXT })).status).toBe(404);
  const named = await startWeb(service, {
    SECURITY_CONTACT: "mailto:security@example.com",
    PUBLIC_URL: "https://sms.example.com",
  });
  const { status, headers, text } = await ask(named.url, { path: SECURITY_TXT });
  await named.stop();
  expect([status, headers["content-type"]]).toEqual([200, "text/plain; charset=utf-8"]);
  expect(text).toContain("Contact: mailto:security@example.com\n");
  expect(text).toContain(`Canonical: https://sms.example.com${SECURITY_TXT}\n`);
  const expires = Date.parse(/^Expires: (.+)$/m.exec(text)?.[1] ?? "");
  expect(expires).toBeGreaterThan(Date.now());
  expect(expires).toBeLessThan(Date.now() + 365 * 86_400_000);
});

test("only their owner can read the logs", async ({ service }) => {
  for (const file of ["web.log", "worker.log", "postgres.log"]) {
    const { mode } = await stat(path.join(service.dataDir, file));
    expect((mode & 0o777).toString(8), file).toBe("600");
  }
});

test("a denied call is logged with caller and procedure, but without its input", async ({ console: page, service }) => {
  const secret = `told-by-mistake-${Date.now()}`;
  const answer = await page.request.post("/api/trpc/operator.credit", {
    data: { account_id: secret, amount: 1, note: secret },
  });
  expect(answer.status()).toBe(403);
  const log = () => readFile(path.join(service.dataDir, "web.log"), "utf8");
  await expect.poll(log).toMatch(/"procedure":"operator\.credit","status":403,"reason":"not_an_operator"/);
  expect(await log()).not.toContain(secret);
});
