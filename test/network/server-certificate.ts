import { chown, writeFile } from "node:fs/promises";
import path from "node:path";
import { findPrograms } from "@/scripts/postgres/programs";
import { selfSigned } from "./certificate";

/** The host that the certificate names. */
export const CERTIFIED_HOST = "localhost";

/**
 * Writes a certificate into the folder of a test server.
 * @returns the settings that make it accept encrypted connections too, and the certificate's file.
 */
export async function certify(folder: string): Promise<{ settings: Record<string, string>; certificate: string }> {
  const { key, cert } = selfSigned(CERTIFIED_HOST);
  const files = { ssl_cert_file: path.join(folder, "server.crt"), ssl_key_file: path.join(folder, "server.key") };
  await writeFile(files.ssl_cert_file, cert);
  await writeFile(files.ssl_key_file, key, { mode: 0o600 });
  const { owner } = findPrograms();
  if (owner) await chown(files.ssl_key_file, owner.uid, owner.gid);
  return { settings: { ssl: "on", ...files }, certificate: files.ssl_cert_file };
}
