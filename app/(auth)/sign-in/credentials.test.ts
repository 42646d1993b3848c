import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openSession } from "./credentials";

const page = "https://sms.example/sign-in";
const json =
  (value: unknown, status = 200) =>
  async () =>
    Response.json(value, { status });
const started = json({ csrfToken: "token" });
const refusedWith = (error: string, status = 401) => json({ url: `${page}?${new URLSearchParams({ error })}` }, status);
const lost = async (): Promise<Response> => {
  throw new TypeError("Failed to fetch");
};
const proxyPage = async () => new Response("<html>Bad gateway</html>", { status: 502 });

function answer(...responses: (() => Promise<Response>)[]) {
  const fetched = vi.fn<(url: string, init?: RequestInit) => Promise<Response>>();
  for (const response of responses) fetched.mockImplementationOnce(response);
  vi.stubGlobal("fetch", fetched);
  return fetched;
}

beforeEach(() => {
  vi.stubGlobal("window", { location: { href: page } });
});
afterEach(() => {
  vi.unstubAllGlobals();
});

test("a session is opened with what was entered", async () => {
  const fetched = answer(started, json({ url: page }));
  expect(await openSession("ann@example.com", "secret", "123456")).toBeNull();
  const [path, init] = fetched.mock.calls[1] ?? [];
  expect(path).toBe("/api/auth/callback/credentials");
  expect(Object.fromEntries(init?.body as URLSearchParams)).toMatchObject({
    email: "ann@example.com",
    password: "secret",
    code: "123456",
    csrfToken: "token",
  });
});

test("a refusal says why", async () => {
  answer(started, refusedWith("CredentialsSignin"));
  expect(await openSession("ann@example.com", "wrong")).toMatch(/is wrong/);
  answer(started, refusedWith("Too many attempts."));
  expect(await openSession("ann@example.com", "secret")).toBe("Too many attempts.");
  answer(refusedWith("One moment.", 503));
  expect(await openSession("ann@example.com", "secret")).toBe("One moment.");
});

test("without the service the password is not called wrong, and the browser stays on the page", async () => {
  answer(lost);
  expect(await openSession("ann@example.com", "secret")).toMatch(/could not be reached/);
  answer(started, lost);
  expect(await openSession("ann@example.com", "secret")).toMatch(/could not be reached/);
  answer(proxyPage);
  expect(await openSession("ann@example.com", "secret")).toMatch(/not available/);
  expect(window.location.href).toBe(page);
});
