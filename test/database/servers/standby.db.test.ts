import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { type RunningPostgres, startPostgres } from "@/scripts/postgres/server";
import { follow, loseMachine, promote, startStandby } from "./standby";

test("a standby of a server that is serializable by default follows its primary, and takes over from it", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "messaging-standby-"));
  const running: RunningPostgres[] = [];
  onTestFinished(async () => {
    for (const server of running.reverse()) await server.stop();
    await rm(folder, { recursive: true, force: true });
  });
  const [data, copy] = [path.join(folder, "data"), path.join(folder, "copy")];
  const settings = { default_transaction_isolation: "serializable" };
  const primary = await startPostgres(data, settings);
  running.push(primary);
  const standby = await startStandby(primary, data, copy, settings);
  running.push(standby);
  const client = new pg.Client({ connectionString: primary.url("postgres") });
  client.on("error", () => undefined);
  await client.connect();
  // COMMIT waits for the standby from here on.
  await client.query("CREATE TABLE notes (text text)");
  await follow(standby, primary);
  await client.query("INSERT INTO notes VALUES ('kept')");
  await loseMachine(primary);
  await promote(standby);
  const next = new pg.Client({ connectionString: standby.url("postgres") });
  await next.connect();
  onTestFinished(() => next.end());
  await next.query("INSERT INTO notes VALUES ('new')");
  expect((await next.query("SELECT text FROM notes")).rows).toEqual([{ text: "kept" }, { text: "new" }]);
});
