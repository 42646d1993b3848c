/**
 * A cookie that marks a device on which a person has signed in before, and names the person. Guesses by others do not lock such
 * a device out. The cookie signs nobody in, and the device's own guesses are limited strictly.
 */
import { randomBytes } from "node:crypto";
import { z } from "zod";
import { env, publicUrl, secretKeys } from "../../core/env";
import { seal, unseal } from "../../core/seal";

const MAX_AGE_S = 365 * 24 * 60 * 60;
const Content = z.object({ deviceId: z.string(), email: z.string() });

/** A device, and the email that it has signed in with. */
export type KnownDevice = z.output<typeof Content>;

const isSecure = (): boolean => publicUrl().startsWith("https://");
const cookieName = (): string => `${isSecure() ? "__Secure-" : ""}messaging.known-device`;

function cookieIn(cookieHeader: string, name: string): string | undefined {
  const found = cookieHeader.split(/;\s*/).find((pair) => pair.startsWith(`${name}=`));
  return found?.slice(name.length + 1);
}

/** The device that sent these cookies, if it has signed in before; else null. */
export function knownDevice(cookieHeader: string): KnownDevice | null {
  const sealed = cookieIn(cookieHeader, cookieName());
  if (!sealed) return null;
  try {
    return Content.parse(JSON.parse(unseal(secretKeys(), "known device", sealed)));
  } catch {
    // An altered cookie, or one made with another SECRET_KEY: the device counts as unknown.
    return null;
  }
}

/** The `Set-Cookie` line that makes the device a known one for this email, or keeps it one for another year. */
export function knownDeviceCookie(email: string, deviceId: string | null): string {
  const content = { deviceId: deviceId ?? randomBytes(16).toString("base64url"), email };
  const value = seal(env().SECRET_KEY, "known device", JSON.stringify(content));
  const flags = `Path=/api/auth; Max-Age=${MAX_AGE_S}; HttpOnly; SameSite=Lax`;
  return `${cookieName()}=${value}; ${flags}${isSecure() ? "; Secure" : ""}`;
}
