import { hashPassword } from "@/server/auth/credentials/password-hash";

const hashes = new Map<string, Promise<string>>();

/**
 * The password hash of people whom tests create. Hashing takes 30 ms on purpose, so one hash serves all of them; tests do not need
 * a salt per person.
 */
export function hashOf(password: string): Promise<string> {
  const known = hashes.get(password) ?? hashPassword(password);
  hashes.set(password, known);
  return known;
}
