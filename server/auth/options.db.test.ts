import type { NextApiRequest, NextApiResponse } from "next";
import { encode, type JWT } from "next-auth/jwt";
import * as nextAuth from "next-auth/next";
import { afterEach, beforeAll, expect, test } from "vitest";
import { type Authenticator, makeAuthenticator } from "@/test/authenticator";
import { createPerson, makePerson, PASSWORD } from "@/test/database/people";
import { prisma } from "../core/db";
import { env } from "../core/env";
import { authOptions } from "./options";
import { addPasskey, beginPasskey } from "./passkeys/passkeys";
import { findSignedIn } from "./sessions/sessions";
import { believePeerHeader } from "./sign-in/caller-address";
import { beginPasskeySignIn } from "./sign-in/passkey-sign-in";

// As the web process does, which names the peer of every request.
beforeAll(believePeerHeader);

afterEach(() => {
  env().PUBLIC_URL = undefined;
});

const COOKIE = "next-auth.session-token";

// The default export of a bundler is one level further down for Node.
const unwrap = (module: unknown): typeof nextAuth.default =>
  typeof module === "function" ? (module as typeof nextAuth.default) : unwrap((module as { default: unknown }).default);

/** A browser that talks to next-auth's handler and keeps its cookies. */
function makeBrowser(address: string) {
  const cookies: Record<string, string> = {};
  const setCookies: string[] = [];
  const headers = { host: "localhost", "x-peer-address": address };
  // Next's cookies and, as text, those that next-auth does not pass on itself.
  const kept = (line: string): void => {
    setCookies.push(line);
    const [, cookie = "", text = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    cookies[cookie] = decodeURIComponent(text);
  };

  async function call(method: string, path: string[], body: Record<string, string> = {}) {
    let answer: { url?: string; csrfToken?: string } = {};
    const response = {
      status: () => response,
      setHeader: (name: string, value: string | string[]) => {
        if (name.toLowerCase() !== "set-cookie") return response;
        for (const line of [value].flat()) kept(line);
        return response;
      },
      getHeader: () => undefined,
      json: (value: typeof answer) => {
        answer = value;
      },
      send: (value: typeof answer) => {
        answer = value;
      },
      end: () => undefined,
    };
    const cookie = Object.entries(cookies).map(([key, value]) => `${key}=${value}`);
    const request = {
      ...{ method, query: { nextauth: path }, cookies, body },
      headers: { ...headers, cookie: cookie.join("; ") },
    };
    await unwrap(nextAuth)(
      request as unknown as NextApiRequest,
      response as unknown as NextApiResponse,
      authOptions(kept),
    );
    return answer;
  }

  return {
    cookies,
    setCookies,
    /** The `error` that the sign-in page is given, or null. */
    async signIn(email: string, password: string): Promise<string | null> {
      const { csrfToken = "" } = await call("GET", ["csrf"]);
      const form = { email, password, csrfToken, json: "true" };
      const { url = "" } = await call("POST", ["callback", "credentials"], form);
      return new URL(url).searchParams.get("error");
    },
    /** Signs in with the last passkey of an authenticator. @param stolenToken the CSRF token that asked, if another browser's. */
    async usePasskey(authenticator: Authenticator, stolenToken?: string): Promise<string | null> {
      const { csrfToken = "" } = await call("GET", ["csrf"]);
      const asked = await beginPasskeySignIn({ csrf_token: stolenToken ?? csrfToken }, address);
      const form = { passkey: JSON.stringify(authenticator.get(asked)), csrfToken, json: "true" };
      const { url = "" } = await call("POST", ["callback", "credentials"], form);
      return new URL(url).searchParams.get("error");
    },
    async signOut(): Promise<void> {
      const { csrfToken = "" } = await call("GET", ["csrf"]);
      await call("POST", ["signout"], { csrfToken, json: "true" });
    },
    /** Response of next-auth's own session endpoint, which also renews the cookie. */
    renew: () => call("GET", ["session"]),
    /** The person whom the next request of this browser acts for. */
    async person() {
      const session = await this.session();
      return session?.sessionId ? findSignedIn(session.sessionId, address) : null;
    },
    session: () =>
      nextAuth.getServerSession(
        { headers, cookies } as unknown as NextApiRequest,
        { getHeader: () => undefined, setHeader: () => undefined } as unknown as NextApiResponse,
        authOptions(),
      ),
  };
}

test("the right password opens a session in a cookie that scripts cannot read", async () => {
  const { email, userId, accountId } = await createPerson(true);
  const browser = makeBrowser("198.51.100.1");
  expect(await browser.session()).toBeNull();
  expect(await browser.signIn(email, PASSWORD)).toBeNull();
  expect(await browser.person()).toMatchObject({ userId, accountId, isOperator: true, name: "Ann", email });

  const cookie = browser.setCookies.find((line) => line.startsWith(`${COOKIE}=`)) ?? "";
  expect(cookie).toMatch(/; HttpOnly/);
  expect(cookie).toMatch(/; SameSite=Lax/);
  expect(cookie).not.toMatch(/; Secure/);
  const expires = Date.parse(/Expires=([^;]+)/.exec(cookie)?.[1] ?? "");
  expect(Math.abs(expires - Date.now() - 30 * 86_400_000)).toBeLessThan(60_000);
});

test("over https the cookie is Secure", async () => {
  env().PUBLIC_URL = "https://sms.example.com";
  const { email } = await createPerson();
  const browser = makeBrowser("198.51.100.2");
  expect(await browser.signIn(email, PASSWORD)).toBeNull();
  const cookie = browser.setCookies.find((line) => line.startsWith(`__Secure-${COOKIE}=`)) ?? "";
  expect(cookie).toMatch(/; Secure/);
});

test("a wrong password and an unknown email look the same; a throttled sign-in says that it is throttled", async () => {
  const { email } = await createPerson();
  const browser = makeBrowser("198.51.100.3");
  expect(await browser.signIn(email, "wrong")).toBe("CredentialsSignin");
  expect(await browser.signIn("nobody@example.com", "wrong")).toBe("CredentialsSignin");
  expect(await browser.signIn("not an email", "wrong")).toBe("CredentialsSignin");
  for (let attempt = 2; attempt <= 5; attempt += 1) await browser.signIn(email, "wrong");
  expect(await browser.signIn(email, PASSWORD)).toMatch(/^Too many failed sign-ins\. Try again in \d+ s\.$/);
  expect(browser.cookies[COOKIE]).toBeUndefined();
});

test("an unexpected failure says nothing of itself", async () => {
  const browser = makeBrowser("198.51.100.4");
  await prisma().$executeRawUnsafe("ALTER TABLE users RENAME TO users_gone");
  try {
    expect(await browser.signIn("somebody@example.com", "whatever")).toMatch(/^Something went wrong on our side/);
  } finally {
    await prisma().$executeRawUnsafe("ALTER TABLE users_gone RENAME TO users");
  }
});

test("a cookie made with another secret opens nothing", async () => {
  const { email } = await createPerson();
  const browser = makeBrowser("198.51.100.5");
  await browser.signIn(email, PASSWORD);
  const secret = env().SECRET_KEY;
  env().SECRET_KEY = "another secret of more than 32 characters";
  try {
    expect(await browser.session()).toBeNull();
  } finally {
    env().SECRET_KEY = secret;
  }
});

test("a cookie copied before the sign-out opens nothing after it, nor can it be renewed", async () => {
  const { email } = await createPerson();
  const [browser, thief] = [makeBrowser("198.51.100.6"), makeBrowser("198.51.100.7")];
  await browser.signIn(email, PASSWORD);
  Object.assign(thief.cookies, browser.cookies);
  expect(await thief.person()).toMatchObject({ email });
  await browser.signOut();
  expect(browser.cookies[COOKIE]).toBe("");
  const renewed = await thief.renew();
  expect(JSON.stringify(renewed)).not.toContain(email);
  expect(await thief.person()).toBeNull();
});

test("a cookie of a version that kept no sessions opens nothing", async () => {
  const { email, userId, accountId } = await createPerson();
  const browser = makeBrowser("198.51.100.8");
  browser.cookies[COOKIE] = await encode({
    token: { name: "Ann", email, userId, accountId, isOperator: true } as JWT,
    secret: env().SECRET_KEY,
  });
  expect(await browser.session()).not.toBeNull();
  expect(await browser.person()).toBeNull();
  await browser.renew();
  expect(await browser.person()).toBeNull();
});

test("a device that signed in before stays open to its owner, however much others guess", async () => {
  const [{ email }, other] = [await createPerson(), await createPerson()];
  const browser = makeBrowser("198.51.100.9");
  await browser.signIn(email, PASSWORD);
  const line = browser.setCookies.find((cookie) => cookie.startsWith("messaging.known-device=")) ?? "";
  expect(line).toMatch(/; HttpOnly; SameSite=Lax$/);
  expect(line).not.toContain(email);
  await browser.signOut();

  // Everybody behind one address, as behind a proxy that nobody declared.
  const guesser = makeBrowser("198.51.100.9");
  for (let guess = 1; guess <= 6; guess += 1) await guesser.signIn(email, "wrong");
  expect(await guesser.signIn(email, PASSWORD)).toMatch(/^Too many failed sign-ins/);
  expect(await browser.signIn(email, PASSWORD)).toBeNull();

  // Made for one email, it is worth nothing for another; nor is a forged one.
  for (let guess = 1; guess <= 5; guess += 1)
    expect(await browser.signIn(other.email, "wrong")).toBe("CredentialsSignin");
  expect(await browser.signIn(other.email, "wrong")).toMatch(/^Too many failed sign-ins/);
  guesser.cookies["messaging.known-device"] = "v1.AAAA";
  expect(await guesser.signIn(email, PASSWORD)).toMatch(/^Too many failed sign-ins/);
});

test("a passkey opens a session as a password does, in the browser that asked for the challenge only", async () => {
  const person = await makePerson();
  const authenticator = makeAuthenticator("http://localhost:3000");
  await addPasskey(person, { name: "Phone", passkey: authenticator.create(await beginPasskey(person)) });
  const browser = makeBrowser("198.51.100.10");
  expect(await browser.usePasskey(authenticator, "token of another browser")).toMatch(/^This passkey was not accepted/);
  expect(await browser.person()).toBeNull();
  expect(await browser.usePasskey(authenticator)).toBeNull();
  expect(await browser.person()).toMatchObject({ email: person.email });
  expect(browser.setCookies.some((line) => line.startsWith("messaging.known-device="))).toBe(true);
});
