import { createHash, createHmac, generateKeyPairSync, randomUUID, sign } from "node:crypto";
import { beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { MINUTE_MS } from "../core/clock";
import { pool } from "../core/db";
import { env } from "../core/env";
import { noteAhead } from "../observability/database-time";
import { flushCounts } from "../providers/health/counts";
import { receiptUrlOf } from "../providers/receipt-url";
import { invalidateProviders } from "../providers/registry";
import type { ProviderId } from "../providers/schema";
import { serveReceipt } from "./receipts";

const PLIVO_TOKEN = "plivo-token";
const BIRD_KEY = "bird-key";
const BIRD_CHANNEL = randomUUID();
const { publicKey, privateKey } = generateKeyPairSync("ed25519");

beforeAll(() => {
  Object.assign(process.env, {
    PUBLIC_URL: "https://sms.example.test",
    PLIVO_AUTH_ID: "MA1",
    PLIVO_AUTH_TOKEN: PLIVO_TOKEN,
    TELNYX_API_KEY: "KEY1",
    TELNYX_PUBLIC_KEY: publicKey.export({ format: "der", type: "spki" }).subarray(-32).toString("base64"),
    BANDWIDTH_ACCOUNT_ID: "1",
    BANDWIDTH_USERNAME: "api",
    BANDWIDTH_PASSWORD: "api-password",
    BANDWIDTH_APPLICATION_ID: "app",
    BANDWIDTH_CALLBACK_USERNAME: "hook",
    BANDWIDTH_CALLBACK_PASSWORD: "secret",
    AFRICASTALKING_USERNAME: "app",
    AFRICASTALKING_API_KEY: "key",
    MESSAGEBIRD_ACCESS_KEY: "key",
    MESSAGEBIRD_SIGNING_KEY: BIRD_KEY,
    MESSAGEBIRD_WORKSPACE_ID: randomUUID(),
    MESSAGEBIRD_CHANNELS: `+31612345678=${BIRD_CHANNEL}`,
  });
});

const post = (provider: ProviderId, headers: Record<string, string>, body: string) => {
  const { pathname } = new URL(receiptUrlOf(provider, 0));
  return serveReceipt({ method: "POST", url: pathname, headers, peer: "", readBody: async () => Buffer.from(body) });
};

/** Counts of a provider's callbacks: accepted, forged and replayed ones, and jobs with reports. */
async function noted(provider: ProviderId) {
  await flushCounts();
  const { rows } = await pool().query(
    `SELECT coalesce(sum(receipts), 0)::int AS receipts, coalesce(sum(receipts_forged), 0)::int AS forged,
       coalesce(sum(receipts_replayed), 0)::int AS replayed,
       (SELECT count(*)::int FROM graphile_worker._private_jobs j WHERE j.payload->>'provider' = $1) AS jobs
     FROM provider_minutes WHERE provider = $1`,
    [provider],
  );
  return rows[0];
}

/** Stored messages from handsets, oldest first. */
async function repliesOf(provider: ProviderId) {
  const { rows } = await pool().query(
    `SELECT from_number AS "from", to_number AS "to", body AS text, keyword FROM inbound_messages
     WHERE provider = $1 ORDER BY id`,
    [provider],
  );
  return rows;
}

test("an opt-out that a provider recognized is stored as such, whatever the text", async () => {
  const body = new URLSearchParams({ senderId: "SHOP", phoneNumber: "+254711000111" }).toString();
  expect(await post("africastalking", {}, body)).toMatchObject({ status: 200 });
  const optOut = { from: "+254711000111", to: "SHOP", text: "", keyword: "stop" };
  expect(await repliesOf("africastalking")).toMatchObject([optOut]);
});

test("a callback signed for a former public address counts while that is named, and once", async () => {
  const url = receiptUrlOf("messagebird", 0);
  const tell = () => {
    const payload = { id: randomUUID(), channelId: BIRD_CHANNEL, status: "delivered" };
    const body = JSON.stringify({ service: "channels", event: "sms.outbound", payload });
    const time = String(Math.floor(Date.now() / 1_000));
    const signed = Buffer.concat([Buffer.from(`${time}\n${url}\n`), createHash("sha256").update(body).digest()]);
    const signature = createHmac("sha256", BIRD_KEY).update(signed).digest("base64");
    const headers = { "messagebird-request-timestamp": time, "messagebird-signature": signature };
    return () => post("messagebird", { "content-type": "application/json", ...headers }, body);
  };
  const before = await noted("messagebird");
  const settings = env();
  const former = settings.PUBLIC_URL ?? "";
  onTestFinished(() => {
    Object.assign(settings, { PUBLIC_URL: former, PUBLIC_URL_PREVIOUS: [] });
  });
  settings.PUBLIC_URL = "https://new.example.test";
  expect(await tell()()).toMatchObject({ status: 401 });
  settings.PUBLIC_URL_PREVIOUS = ["https://older.example.test", `${former}/`];
  const callback = tell();
  expect([await callback(), await callback()]).toMatchObject([{ status: 200 }, { status: 200 }]);
  settings.PUBLIC_URL_PREVIOUS = ["https://older.example.test"];
  expect(await tell()()).toMatchObject({ status: 401 });
  const { receipts, forged, replayed, jobs } = await noted("messagebird");
  expect([receipts, forged, replayed, jobs]).toEqual([
    before.receipts + 1,
    before.forged + 2,
    before.replayed + 1,
    before.jobs + 1,
  ]);
});

test("a reply over a Bird channel is sent to the number of that channel, and is stored once", async () => {
  const contact = { identifierKey: "phonenumber", identifierValue: "+31687654321" };
  const payload = {
    ...{ id: randomUUID(), channelId: BIRD_CHANNEL, sender: { contact } },
    body: { type: "text", text: { text: "STOP" } },
  };
  const body = JSON.stringify({ service: "channels", event: "sms.inbound", payload });
  const time = String(Math.floor(Date.now() / 1_000));
  const hash = createHash("sha256").update(body).digest();
  const signed = Buffer.concat([Buffer.from(`${time}\n${receiptUrlOf("messagebird", 0)}\n`), hash]);
  const headers = {
    "content-type": "application/json",
    "messagebird-request-timestamp": time,
    "messagebird-signature": createHmac("sha256", BIRD_KEY).update(signed).digest("base64"),
  };
  expect(await post("messagebird", headers, body)).toMatchObject({ status: 200 });
  expect(await post("messagebird", headers, body)).toMatchObject({ status: 200 });
  expect(await post("messagebird", headers, `${body} `)).toMatchObject({ status: 401 });
  expect(await repliesOf("messagebird")).toMatchObject([{ from: "+31687654321", to: "+31612345678", text: "STOP" }]);
});

test.each([20, -20])(
  "a callback is also accepted by the database's clock if ours is %i minutes off, and counts once",
  async (minutes) => {
    const body = JSON.stringify({
      data: {
        event_type: "message.finalized",
        id: randomUUID(),
        payload: { id: randomUUID(), to: [{ status: "delivered" }] },
      },
    });
    // Our clock cannot be set here, so the clocks of the provider and of the database differ from it.
    const tell = (minutesFromDatabase: number) => {
      const timestamp = String(Math.floor(Date.now() / 1_000) - (minutes + minutesFromDatabase) * 60);
      const signature = sign(null, Buffer.from(`${timestamp}|${body}`), privateKey).toString("base64");
      return post("telnyx", { "telnyx-timestamp": timestamp, "telnyx-signature-ed25519": signature }, body);
    };
    const before = await noted("telnyx");
    onTestFinished(() => noteAhead(0));
    noteAhead(0);
    expect(await tell(0)).toMatchObject({ status: 401 });
    noteAhead(minutes * MINUTE_MS);
    expect(await tell(0)).toMatchObject({ status: 200 });
    expect(await tell(minutes)).toMatchObject({ status: 401 });
    // The database's clock may be the wrong one.
    expect(await tell(-minutes)).toMatchObject({ status: 200 });
    expect(await tell(0)).toMatchObject({ status: 200 });
    expect(await noted("telnyx")).toEqual({
      ...before,
      receipts: before.receipts + 1,
      replayed: before.replayed + 2,
      jobs: before.jobs + 1,
    });
  },
);

test("an event that Telnyx repeats is acknowledged and counted, but not applied twice", async () => {
  const body = JSON.stringify({
    data: {
      event_type: "message.finalized",
      id: randomUUID(),
      occurred_at: new Date().toISOString(),
      payload: { id: randomUUID(), to: [{ status: "delivered" }], errors: [] },
    },
  });
  const tell = (secondsAgo: number) => {
    const timestamp = String(Math.floor(Date.now() / 1_000) - secondsAgo);
    const signature = sign(null, Buffer.from(`${timestamp}|${body}`), privateKey).toString("base64");
    return post("telnyx", { "telnyx-timestamp": timestamp, "telnyx-signature-ed25519": signature }, body);
  };
  const { receipts, replayed, jobs } = await noted("telnyx");
  expect(await tell(60)).toMatchObject({ status: 200 });
  expect(await noted("telnyx")).toEqual({ receipts: receipts + 1, forged: 0, replayed, jobs: jobs + 1 });
  // Each repetition has a new signature; only the id of the event is the same.
  expect(await tell(0)).toMatchObject({ status: 200 });
  expect(await noted("telnyx")).toEqual({ receipts: receipts + 1, forged: 0, replayed: replayed + 1, jobs: jobs + 1 });
});

test("a repeated callback of Plivo is acknowledged but not applied, and its weaker signature is refused with another body", async () => {
  const url = receiptUrlOf("plivo", 0);
  const form = { MessageUUID: randomUUID(), Status: "sent" };
  const sealed = (text: string) => createHmac("sha256", PLIVO_TOKEN).update(text).digest("base64");
  const v3 = {
    "x-plivo-signature-v3": sealed(`${url}?MessageUUID${form.MessageUUID}Statussent.1001`),
    "x-plivo-signature-v3-nonce": "1001",
  };
  const v2 = { "x-plivo-signature-v2": sealed(`${url}2002`), "x-plivo-signature-v2-nonce": "2002" };
  const body = new URLSearchParams(form).toString();
  expect(await post("plivo", { ...v3, ...v2 }, body)).toMatchObject({ status: 200 });
  expect(await post("plivo", { ...v3, ...v2 }, body)).toMatchObject({ status: 200 });
  // Version 2 does not cover the body: with an unused nonce, any body could be sent in Plivo's name.
  for (const _ of ["once", "again"]) {
    expect(await post("plivo", v2, body.replace("sent", "delivered"))).toMatchObject({ status: 409 });
  }
  expect(await noted("plivo")).toEqual({ receipts: 1, forged: 0, replayed: 3, jobs: 1 });
});

/** A receipt of Plivo, with version 2 of its signature only. */
function plivoReceipt(nonce: string) {
  const signature = createHmac("sha256", PLIVO_TOKEN)
    .update(`${receiptUrlOf("plivo", 0)}${nonce}`)
    .digest("base64");
  const headers = { "x-plivo-signature-v2": signature, "x-plivo-signature-v2-nonce": nonce };
  const send = (status: string) =>
    post("plivo", headers, new URLSearchParams({ MessageUUID: nonce, Status: status }).toString());
  return send;
}

test("a callback of Plivo with version 2 only is acknowledged when it is repeated, and refused with another body", async () => {
  const send = plivoReceipt(randomUUID());
  const { receipts, replayed, jobs } = await noted("plivo");
  expect(await send("sent")).toMatchObject({ status: 200 });
  expect(await send("sent")).toMatchObject({ status: 200 });
  expect(await send("delivered")).toMatchObject({ status: 409 });
  expect(await send("delivered")).toMatchObject({ status: 409 });
  expect(await send("sent")).toMatchObject({ status: 200 });
  expect(await noted("plivo")).toEqual({ receipts: receipts + 1, forged: 0, replayed: replayed + 4, jobs: jobs + 1 });
});

test("a callback whose transaction died between nonce and job is processed when it is repeated, not taken for done", async () => {
  const send = plivoReceipt(randomUUID());
  const { receipts, replayed, jobs } = await noted("plivo");
  // The connection dies when the job is added: its transaction already has the nonces.
  await pool().query(
    `CREATE FUNCTION die_at_job() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NEW; END $$;
     CREATE TRIGGER die_at_job BEFORE INSERT ON graphile_worker._private_jobs FOR EACH ROW EXECUTE FUNCTION die_at_job()`,
  );
  try {
    expect(await send("delivered")).toEqual({ status: 503, headers: { "retry-after": "5" } });
  } finally {
    await pool().query("DROP FUNCTION die_at_job CASCADE");
  }
  expect(await noted("plivo")).toEqual({ receipts, forged: 0, replayed, jobs });
  expect(await send("delivered")).toMatchObject({ status: 200 });
  expect(await send("delivered")).toMatchObject({ status: 200 });
  expect(await noted("plivo")).toEqual({ receipts: receipts + 1, forged: 0, replayed: replayed + 1, jobs: jobs + 1 });
});

test("Bandwidth must send its credentials, and only wrong ones count as forged", async () => {
  const body = JSON.stringify([{ type: "message-delivered", message: { id: randomUUID() } }]);
  const tell = (credentials?: string) =>
    post(
      "bandwidth",
      credentials ? { authorization: `Basic ${Buffer.from(credentials).toString("base64")}` } : {},
      body,
    );
  expect(await tell()).toEqual({ status: 401, headers: { "www-authenticate": 'Basic realm="receipts"' } });
  expect(await noted("bandwidth")).toEqual({ receipts: 0, forged: 0, replayed: 0, jobs: 0 });
  expect(await tell("hook:secret")).toMatchObject({ status: 200 });
  expect(await tell("hook:wrong")).toMatchObject({ status: 401 });
  expect(await noted("bandwidth")).toEqual({ receipts: 1, forged: 1, replayed: 0, jobs: 1 });
});

test("a callback with more fields than a provider sends is refused before its signature is checked", async () => {
  const body = Array.from({ length: 501 }, (_, at) => `f${at}=1`).join("&");
  const signature = { "x-plivo-signature-v3": "forged", "x-plivo-signature-v3-nonce": "1" };
  expect(await post("plivo", signature, body)).toMatchObject({ status: 400 });
});

test("callbacks from outside a provider's networks are refused and counted, whatever address a stranger claims", async () => {
  vi.stubEnv("AFRICASTALKING_RECEIPT_NETWORKS", "203.0.113.0/24");
  invalidateProviders();
  try {
    const body = new URLSearchParams({ id: randomUUID(), status: "Success" }).toString();
    const from = (peer: string, headers: Record<string, string> = {}) =>
      serveReceipt({
        method: "POST",
        url: new URL(receiptUrlOf("africastalking", 0)).pathname,
        ...{ headers, peer },
        readBody: async () => Buffer.from(body),
      });
    const blocked = async () => {
      await flushCounts();
      const { rows } = await pool().query(
        "SELECT sum(receipts_blocked)::int AS blocked FROM provider_minutes WHERE provider = 'africastalking'",
      );
      return rows[0].blocked;
    };
    expect(await from("203.0.113.9")).toMatchObject({ status: 200 });
    expect(await from("198.51.100.1")).toMatchObject({ status: 403 });
    expect(await from("198.51.100.1", { "x-forwarded-for": "203.0.113.9" })).toMatchObject({ status: 403 });
    expect(await blocked()).toBe(2);
  } finally {
    vi.unstubAllEnvs();
    invalidateProviders();
  }
});
