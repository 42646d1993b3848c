import { copyFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import pg from "pg";
import { describe, expect, inject, test, vi } from "vitest";
import { asSuperuser } from "@/test/database/superuser";
import { selfSigned } from "@/test/network/certificate";
import { CERTIFIED_HOST } from "@/test/network/server-certificate";
import { env } from "../env";
import { PatientPool } from "./patient-pool";
import { SessionClient } from "./session";

/** Expects that a statement waits for a connection until `mend` has made one possible. */
async function expectWaiting(connectionString: string, mend: () => Promise<unknown>): Promise<void> {
  const refused = new PatientPool("refused", { connectionString, Client: SessionClient });
  // Its connection may still be closing when the database is dropped.
  refused.on("error", () => undefined);
  const tried = vi.spyOn(pg.Pool.prototype, "connect");
  const asked = refused.query<{ n: number }>("SELECT 1 AS n");
  asked.catch(() => undefined);
  try {
    await expect.poll(() => tried.mock.calls.length).toBeGreaterThan(1);
  } finally {
    tried.mockRestore();
    await mend();
  }
  expect((await asked).rows).toEqual([{ n: 1 }]);
  await refused.end();
}

describe("a server that refuses connections for now", () => {
  test.each([
    [
      "because the database is being restored",
      "CREATE DATABASE late_database ALLOW_CONNECTIONS false",
      "ALTER DATABASE late_database ALLOW_CONNECTIONS true",
      { pathname: "/late_database" },
    ],
    [
      "because the database has another name",
      "CREATE DATABASE late_name",
      "ALTER DATABASE late_name RENAME TO late_name_2",
      { pathname: "/late_name_2" },
    ],
    [
      "because the password is being changed",
      "CREATE ROLE late_password LOGIN PASSWORD 'early'",
      "ALTER ROLE late_password PASSWORD 'late'",
      { username: "late_password", password: "late" },
    ],
  ])("%s, is waited for", async (_, before, after, changed) => {
    await asSuperuser(before);
    const { href } = Object.assign(new URL(env().DATABASE_URL), changed);
    await expectWaiting(href, () => asSuperuser(after));
  });

  test("because its new certificate comes from an authority that is not known here yet, is waited for", async () => {
    const folder = await mkdtemp(path.join(tmpdir(), "messaging-authority-"));
    const file = path.join(folder, "ca.pem");
    await writeFile(file, selfSigned(CERTIFIED_HOST).cert);
    const url = Object.assign(new URL(env().DATABASE_URL), { hostname: CERTIFIED_HOST });
    url.search = new URLSearchParams({ sslmode: "verify-full", sslrootcert: file }).toString();
    await expectWaiting(url.href, () => copyFile(inject("certificate"), file));
    await rm(folder, { recursive: true });
    // A file that is gone, or cannot be opened for now, does not break a running process.
    const later = new PatientPool("later", { connectionString: url.href, Client: SessionClient });
    later.on("error", () => undefined);
    expect((await later.query<{ n: number }>("SELECT 2 AS n")).rows).toEqual([{ n: 2 }]);
    await later.end();
  });
});
