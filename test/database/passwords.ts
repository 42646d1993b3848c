import { hashPassword } from "@/server/auth/credentials/password-hash";

const hashes = new Map<string, Promise<string>>();

/**
 * The hash of a password of people whom tests make. It takes a processor 30 ms on purpose, so it is made once for all of them; the salt
 * of their own that people of the service have is of no use to tests.
 */
export function hashOf(password: string): Promise<string> {
  const known = hashes.get(password) ?? hashPassword(password);
  hashes.set(password, known);
  return known;
}
