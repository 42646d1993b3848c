/** Refusals of a web process whose migrations have not run, in the form of each caller. */
import type { IncomingMessage } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeAll, expect, test, vi } from "vitest";
import { migrationsPending } from "../core/errors";
import * as migrated from "../observability/migrated";
import * as requests from "../observability/requests";
import { onceMigrated, refusalOf } from "./until-migrated";

afterEach(() => vi.restoreAllMocks());

beforeAll(() => {
  Object.assign(process.env, { DATABASE_URL: "postgresql://unused", SECRET_KEY: "0".repeat(40) });
});

const refusalAt = (url: string, headers: Record<string, string> = {}) =>
  refusalOf({ url, headers } as unknown as IncomingMessage, migrationsPending());

test.each([
  ["the API", "/api/v1/messages/send"],
  ["a provider", "/api/receipts/twilio/secret"],
  ["the console's calls", "/api/trpc/messages.list,account.get?batch=1"],
  ["an export", "/api/exports"],
  ["a sign-in", "/api/auth/callback/credentials"],
  ["a page", "/messages?status=failed"],
])("%s is refused with 503, and told when to come back", (_, url) => {
  expect(refusalAt(url)).toMatchObject({ status: 503, headers: { "retry-after": "5" } });
});

test("a program gets the error of the API, with its reason", () => {
  const { body } = refusalAt("/api/v1/account") ?? { body: "" };
  expect(JSON.parse(String(body))).toEqual({
    success: false,
    error: {
      type: "api_error",
      code: "service_unavailable",
      message: "The service is being installed or upgraded. Nothing was carried out: repeat the request.",
      param: null,
      details: { reason: "migrations_pending", carried_out: false, retry_after: 5 },
    },
    meta: { request_id: expect.stringMatching(/^req_/), api_version: "v1" },
  });
});

test("a page is refused with one that people can read, and that loads itself again", () => {
  expect(refusalAt("/")?.body).toContain('http-equiv="refresh"');
});

test.each([
  "/api/health",
  "/api/health/ready",
  "/.well-known/security.txt",
  "/_next/static/chunks/main.js",
  "/icon.svg",
])("%s is served, because it needs no table", (url) => {
  expect(refusalAt(url)).toBeNull();
});

test("refusals of the API and of callbacks are measured, because alerts on server errors read nothing else", async () => {
  vi.spyOn(migrated, "isMigrated").mockReturnValue(false);
  vi.spyOn(migrated, "refusalUntilMigrated").mockResolvedValue(migrationsPending());
  const measured = vi.spyOn(requests, "observeRequest");
  const server = createServer((request, response) => void onceMigrated(async () => undefined)(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const statuses = [];
  for (const path of ["/api/v1/account", "/api/receipts/twilio/secret", "/messages"]) {
    statuses.push((await fetch(`http://127.0.0.1:${port}${path}`)).status);
  }
  server.closeAllConnections();
  server.close();
  expect(statuses).toEqual([503, 503, 503]);
  expect(measured.mock.calls.map(([, , operation]) => operation)).toEqual(["none", "receipts"]);
  for (const { value } of measured.mock.results) expect(await value).toMatchObject({ response: { status: 503 } });
});
