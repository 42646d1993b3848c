import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { restServerOfFile } from "@/test/database/rest-server";
import { makeRoute } from "@/test/database/routes";
import { makeAccount, type TestAccount } from "@/test/database/seed";
import { asSuperuser } from "@/test/database/superuser";
import { prisma } from "../core/db";

const url = restServerOfFile();
let account: TestAccount;

beforeAll(async () => {
  await makeRoute();
  account = await makeAccount();
});

/** Lets statements fail as the server ends them after its time-outs: a test that waited for these would take a minute. */
const failWith = async (code: string) => {
  await asSuperuser(`CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    RAISE 'canceling statement' USING ERRCODE = '${code}'; END $$`);
  await asSuperuser("CREATE TRIGGER fail BEFORE INSERT ON messages FOR EACH ROW EXECUTE FUNCTION fail()");
  await asSuperuser(`CREATE FUNCTION fail_read() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
    RAISE 'canceling statement' USING ERRCODE = '${code}'; END $$`);
  await asSuperuser("CREATE POLICY fail_read ON senders USING (fail_read())");
};

const setReadsFail = (isOn: boolean) =>
  asSuperuser(`ALTER TABLE senders ${isOn ? "ENABLE" : "DISABLE"} ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY`);

const mend = async () => {
  await setReadsFail(false);
  await asSuperuser("DROP FUNCTION IF EXISTS fail() CASCADE");
  await asSuperuser("DROP FUNCTION IF EXISTS fail_read() CASCADE");
};

afterEach(mend);

async function call(path: string, body?: object, key = "") {
  const response = await fetch(`${url()}${path}`, {
    method: body ? "POST" : "GET",
    headers: {
      authorization: `Bearer ${account.plainKey}`,
      ...(body && { "content-type": "application/json", "idempotency-key": key }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

const countMessages = () => prisma().message.count({ where: { accountId: account.accountId } });

const refusal = (message: string, details: object) => ({
  type: "api_error",
  code: "service_unavailable",
  message: expect.stringContaining(message),
  param: null,
  details: { reason: "database_unavailable", retry_after: 2, ...details },
});

describe.each([
  ["a lock that another program holds", "55P03"],
  ["a statement that takes too long", "57014"],
  ["one deadlock after the other", "40P01"],
  ["one conflict after the other", "40001"],
  ["a statement for which the server has no memory", "53200"],
])("after %s", (_, code) => {
  test("a send gets 503, and is carried out once when it is repeated", async () => {
    const before = await countMessages();
    const body = { to: "+14155550123", from: account.senderId, body: "Hello" };
    await failWith(code);
    const failed = await call("/messages/send", body, code);
    expect(failed.status).toBe(503);
    expect(failed.headers.get("retry-after")).toBe("2");
    // A failure of this kind also refuses the requests that wait behind it (server/core/batcher.test.ts).
    expect(failed.body.error).toEqual(refusal("Nothing was carried out", { carried_out: false }));
    await mend();
    const again = await call("/messages/send", body, code);
    expect([again.status, again.headers.get("idempotency-replayed")]).toEqual([201, null]);
    expect(await countMessages()).toBe(before + 1);
  });

  test("a read by Prisma gets 503", async () => {
    const { id } = await prisma().sender.findFirstOrThrow({ where: { accountId: account.accountId } });
    expect((await call(`/senders/${id}`)).status).toBe(200);
    await failWith(code);
    await setReadsFail(true);
    const failed = await call(`/senders/${id}`);
    expect(failed.status).toBe(503);
    expect(failed.body.error).toEqual(refusal("Repeat the request with the same Idempotency-Key", {}));
  });
});
