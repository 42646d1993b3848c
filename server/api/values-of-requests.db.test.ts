import pg from "pg";
import { expect, test } from "vitest";
import { readPool } from "../core/db";
import { onShutdown, shutDown } from "../core/process";
import { agent } from "../providers/http/client";
import { logRequest } from "../request-log/log-request";
import { makeValuesOfRequests } from "./values-of-requests";

/** Does what requests of each kind need. @returns whether it worked. */
async function serve(id: string) {
  const { rows } = await readPool().query<{ one: number }>("SELECT 1 AS one");
  const hasAgent = !agent().destroyed;
  logRequest({
    ...{ id, accountId: "acc_1", keyId: "key_1", method: "GET", path: "/api/v1/messages", query: "", status: 200 },
    ...{
      latencyMs: 1,
      operation: null,
      input: undefined,
      inputBytes: 0,
      response: "",
      address: "192.0.2.1",
      userAgent: null,
    },
  });
  return { hasList: rows[0]?.one === 1, hasAgent };
}

test("requests in progress at a stop still read lists, call providers and are logged", async () => {
  makeValuesOfRequests();
  // The server's closer waits for the requests in progress.
  let last: unknown;
  onShutdown(async () => {
    last = await serve("req_last").catch(String);
  });
  expect(await serve("req_first")).toEqual({ hasList: true, hasAgent: true });
  await shutDown();
  expect(last).toEqual({ hasList: true, hasAgent: true });
  const database = new pg.Client({ connectionString: process.env.DATABASE_URL });
  await database.connect();
  const { rows } = await database.query("SELECT id FROM request_log ORDER BY id");
  await database.end();
  expect(rows).toEqual([{ id: "req_first" }, { id: "req_last" }]);
});
