import { createHmac } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { describe, expect, test } from "vitest";
import { verifyWebhook, WebhookError } from "./webhooks";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=";
const BODY = JSON.stringify({ id: "evt_1", object: "event", type: "message.sent", data: { body: "Grüße 😀" } });
const nowS = () => Math.floor(Date.now() / 1_000);
const sign = (t: number, body: string | Buffer = BODY, secret = SECRET) =>
  createHmac("sha256", secret).update(`${t}.`).update(body).digest("hex");
const headerOf = (t = nowS()) => `t=${t},v1=${sign(t)}`;
const reasonOf = (run: Promise<unknown>): Promise<unknown> =>
  run.then(
    () => "accepted",
    (thrown: unknown) => (thrown instanceof WebhookError ? thrown.reason : thrown),
  );

test("a digest made elsewhere is accepted: the scheme is what the guide says", async () => {
  // printf '1769860800.{"id":"evt_1"}' | openssl dgst -sha256 -hmac whsec_test
  const v1 = "73b5e2f9f42f93796b9524c21a92ac972d369922882068c4006dedc327c92768";
  const input = { header: `t=1769860800,v1=${v1}`, rawBody: '{"id":"evt_1"}', secret: "whsec_test" };
  expect(await verifyWebhook({ ...input, tolerance: Number.MAX_SAFE_INTEGER })).toEqual({ id: "evt_1" });
});

describe("a genuine request", () => {
  test("gives its event, whether the body is text or bytes", async () => {
    const bytes = new TextEncoder().encode(BODY);
    for (const rawBody of [BODY, Buffer.from(BODY), bytes, bytes.buffer]) {
      expect(await verifyWebhook({ header: headerOf(), rawBody, secret: SECRET })).toEqual(JSON.parse(BODY));
    }
  });

  test("gives its event although a line end is behind the secret, as a file has one", async () => {
    for (const secret of [`${SECRET}\n`, ` ${SECRET}\r\n`]) {
      expect(await verifyWebhook({ header: headerOf(), rawBody: BODY, secret })).toEqual(JSON.parse(BODY));
    }
  });

  test("gives its event with the header as Node's server types it", async () => {
    const headers: IncomingHttpHeaders = { "service-signature": headerOf() };
    const input = { header: headers["service-signature"], rawBody: BODY, secret: SECRET };
    expect(await verifyWebhook(input)).toEqual(JSON.parse(BODY));
  });

  test("may carry a second signature while the secret is rotated, and fields that are yet unknown", async () => {
    const t = nowS();
    const header = `t=${t},v0=ab,v1=${sign(t, BODY, "another")},v1=${sign(t)}`;
    expect(await verifyWebhook({ header, rawBody: BODY, secret: SECRET })).toMatchObject({ id: "evt_1" });
  });

  test("is current up to the tolerance, in both directions", async () => {
    for (const t of [nowS() - 290, nowS() + 290]) {
      expect(await reasonOf(verifyWebhook({ header: headerOf(t), rawBody: BODY, secret: SECRET }))).toBe("accepted");
    }
  });
});

describe("refused is", () => {
  test.each([null, undefined, "", "v1=", "t=abc,v1=00", `v1=${sign(1)}`, "t=1", `t=1,t=2,v1=${sign(1)}`])(
    "the header %j",
    async (header) => {
      expect(await reasonOf(verifyWebhook({ header, rawBody: BODY, secret: SECRET }))).toBe("malformed");
    },
  );

  test.each([undefined, null, {}, { id: "evt_1" }, 5])("what a framework left of the body: %j", async (parsed) => {
    const rawBody = parsed as unknown as string;
    expect(await reasonOf(verifyWebhook({ header: headerOf(), rawBody, secret: SECRET }))).toBe("malformed");
  });

  test("several headers in a list", async () => {
    const header = [headerOf()];
    expect(await reasonOf(verifyWebhook({ header, rawBody: BODY, secret: SECRET }))).toBe("malformed");
  });

  test("another body, another secret, another time", async () => {
    const header = headerOf();
    expect(await reasonOf(verifyWebhook({ header, rawBody: `${BODY} `, secret: SECRET }))).toBe("mismatch");
    expect(await reasonOf(verifyWebhook({ header, rawBody: BODY, secret: "whsec_other" }))).toBe("mismatch");
    const moved = header.replace(/t=\d+/, `t=${nowS() - 1_000}`);
    expect(await reasonOf(verifyWebhook({ header: moved, rawBody: BODY, secret: SECRET }))).toBe("mismatch");
  });

  test.each(["", "\n", undefined as unknown as string])(
    "everything with the secret %j, by which anybody can sign",
    async (secret) => {
      const t = nowS();
      const header = `t=${t},v1=${sign(t, BODY, "")}`;
      expect(await reasonOf(verifyWebhook({ header, rawBody: BODY, secret }))).toBe("no_secret");
    },
  );

  test("what was signed too long ago or in the future, and everything when the tolerance is no number", async () => {
    for (const t of [nowS() - 400, nowS() + 400]) {
      const input = { header: headerOf(t), rawBody: BODY, secret: SECRET };
      expect(await reasonOf(verifyWebhook(input))).toBe("outside_tolerance");
    }
    const input = { header: headerOf(), rawBody: BODY, secret: SECRET, tolerance: Number.NaN };
    expect(await reasonOf(verifyWebhook(input))).toBe("outside_tolerance");
  });

  test("a signed body that is not JSON", async () => {
    const t = nowS();
    const header = `t=${t},v1=${sign(t, "hello")}`;
    expect(await reasonOf(verifyWebhook({ header, rawBody: "hello", secret: SECRET }))).toBe("malformed");
  });
});
