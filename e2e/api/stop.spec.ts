import { apiWith } from "../support/api";
import { expect, testWith } from "../support/installation/installation-test";

const test = testWith({ carriers: [], workers: 0 });

test("a web process that is stopped finishes a running list request before it ends", async ({ installation }) => {
  const { web, database, makeAccount } = installation;
  const { apiKey, sender } = await makeAccount();
  const api = apiWith(web, apiKey);
  for (const body of ["one", "two"]) {
    expect((await api.post("/messages/send", { to: "+14155550123", from: sender, body })).status).toBe(201);
  }
  expect((await api.get("/messages?limit=1")).status).toBe(200);
  await database.rows("BEGIN");
  await database.rows("LOCK TABLE messages");
  const list = api.get("/messages?limit=1&page=2");
  const waiting = "SELECT FROM pg_locks WHERE NOT granted AND relation = 'messages'::regclass";
  await expect.poll(async () => (await database.rows(waiting)).length).toBeGreaterThan(0);
  const stopped = web.stop();
  const isRefused = () =>
    fetch(`${web.url}/api/health`).then(
      () => false,
      () => true,
    );
  await expect.poll(isRefused).toBe(true);
  await database.rows("COMMIT");
  const { status, headers } = await list;
  expect({ status, connection: headers.get("connection") }).toEqual({ status: 200, connection: "close" });
  await stopped;
});
