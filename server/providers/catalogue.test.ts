import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { MODEL_TIMES } from "@/test/model/times";
import { type Json, type Samples, WIRE_SAMPLES } from "./adapters/wire-samples";
import { httpProvider } from "./catalogue";
import type { Callback, HttpProvider } from "./port";

const CASES = Object.entries(WIRE_SAMPLES);

function providerOf(id: string): HttpProvider {
  const provider = httpProvider(id.replace(/\/.*/, ""));
  if (!provider) throw new Error(`no provider ${id}`);
  return provider;
}

const code = z.string().min(1);
const sentence = z.string().refine((text) => {
  const [first = ""] = text;
  return first.trim() !== "" && first.toUpperCase().startsWith(first) && /[.!?]["')\]]?$/.test(text);
}, "no sentence");
const Fault = z.enum(["provider", "account", "throttled", "message"]);
const OutcomeShape = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("accepted"), providerMessageIds: z.array(z.string().min(1)).min(1) }),
  z.strictObject({ kind: z.enum(["refused", "unknown"]), code, detail: sentence, providerDetail: sentence.optional() }),
  z.strictObject({
    kind: z.literal("retryable"),
    code,
    detail: sentence,
    providerDetail: sentence.optional(),
    fault: Fault,
  }),
]);
const reportOf = { providerMessageId: z.string().min(1), reference: z.string().min(1).nullable() };
const isOfWhole = z.literal(true).optional();
const occurredAt = z.iso
  .datetime({ offset: true })
  .refine((text) => Date.parse(text) > Date.parse("0001-01-01T00:00:00Z"))
  .nullable();
const ContentShape = z.strictObject({
  reports: z.array(
    z.discriminatedUnion("status", [
      z.strictObject({
        ...reportOf,
        status: z.enum(["sent", "delivered"]),
        code: z.null(),
        detail: z.null(),
        occurredAt,
        isOfWhole,
      }),
      z.strictObject({
        ...reportOf,
        status: z.enum(["failed", "undelivered"]),
        code,
        detail: sentence,
        occurredAt,
        providerDetail: sentence.optional(),
        isOfWhole,
      }),
    ]),
  ),
  inbound: z.array(
    z.strictObject({
      providerMessageId: z.string().min(1),
      from: z.string(),
      to: z.string(),
      text: z.string(),
      keyword: z.enum(["stop", "start"]).optional(),
      occurredAt: z.iso.datetime({ offset: true }).optional(),
    }),
  ),
});

/** The result, or null after a plain Error. Errors of the language itself are bugs and are thrown. */
function attempt<Result>(act: () => Result): Result | undefined {
  try {
    return act();
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(Error);
    for (const slip of [TypeError, RangeError, ReferenceError]) expect(thrown).not.toBeInstanceOf(slip);
    return undefined;
  }
}

const DEEP = "[".repeat(3_000) + "]".repeat(3_000);
const WORDS = ["constructor", "__proto__", "toString", "hasOwnProperty"];
const junk = fc.oneof(
  fc.constantFrom<unknown>(...WORDS, "", " ", null, true, 0, -1, 1.5, 1e300, [], {}, [[1]], JSON.parse(DEEP)),
  fc.constantFrom("0000-01-01T00:00:00Z", "2026-01-31T12:00:00+23:00", "2026-02-30T12:00:00Z", "275760", "0", "None"),
  fc.jsonValue(),
  fc.string({ unit: "binary" }),
);

/** The sample with the value at one of its places replaced; `at` selects it, modulo their number. */
function altered(sample: unknown, at: number, value: unknown): unknown {
  const places: (() => void)[] = [];
  const copy: unknown = JSON.parse(JSON.stringify(sample));
  const walk = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    for (const [name, child] of Object.entries(node)) {
      places.push(() => Object.assign(node, { [name]: value }));
      walk(child);
    }
  };
  walk(copy);
  places[at % places.length]?.();
  return copy;
}

const bodyOf = (...samples: Json[]): fc.Arbitrary<unknown> =>
  fc.tuple(fc.constantFrom(...samples), fc.nat(), junk).map(([sample, at, value]) => altered(sample, at, value));
const textOf = (...samples: Json[]): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 4, arbitrary: bodyOf(...samples).map((body) => JSON.stringify(body)) },
    { weight: 1, arbitrary: fc.json() },
    { weight: 1, arbitrary: fc.string({ unit: "binary" }) },
    { weight: 1, arbitrary: fc.constantFrom("", "null", "[]", "{}", "<html>", "OK", '{"__proto__":{"code":1}}', DEEP) },
  );
const anyStatus = fc.oneof(
  fc.constantFrom(200, 201, 202, 207, 302, 400, 401, 403, 404, 408, 429, 500, 502, 503, 504),
  fc.integer({ min: 200, max: 599 }),
);

const URL_OF = "https://sms.example.test/api/receipts/x/token?ref=msg_1-2";
const formText = (body: unknown): string =>
  new URLSearchParams(
    Object.entries(body ?? {}).map(([name, value]) => [
      name,
      typeof value === "string" ? value : JSON.stringify(value),
    ]),
  ).toString();
const posted = (type: string, text: string): Callback => ({
  method: "POST",
  url: URL_OF,
  headers: { "content-type": type },
  body: Buffer.from(text),
});
const inJson = (body: unknown): Callback => posted("application/json", JSON.stringify(body));
const inForm = (body: unknown): Callback => posted("application/x-www-form-urlencoded", formText(body));
const inQuery = (body: unknown): Callback => ({ ...inForm({}), method: "GET", url: `${URL_OF}&${formText(body)}` });
const callbackOf = ({ receipt, inbound, format }: Samples): fc.Arbitrary<Callback> => {
  const body = bodyOf(receipt, inbound);
  return fc.oneof(
    { weight: 4, arbitrary: body.map(format === "json" ? inJson : inForm) },
    body.map(inForm),
    body.map(inQuery),
    textOf(receipt, inbound).map((text) => posted("application/json", text)),
  );
};

/** Errors that gateways and frameworks in front of a provider write themselves. */
const gatewayErrors = (status: number): Json[] => [
  { message: "Bad gateway" },
  { timestamp: "2026-01-31T12:00:00.000+00:00", status, error: "Gateway Timeout", path: "/v1/message" },
  { error: "upstream request timeout" },
  { type: "about:blank", title: "Gateway Timeout", status },
  { type: "about:blank", title: "Gateway Timeout", status, detail: "", description: "Gateway Timeout" },
  { code: status, message: "Gateway Timeout" },
  { code: String(status), message: "Gateway Timeout", text: "Gateway Timeout" },
  { errorCode: `E${status}`, description: "Gateway Timeout" },
  { errors: [{ code: status, title: "Gateway Timeout", description: "Gateway Timeout" }] },
  { error: { code: status, description: "Gateway Timeout" } },
  { messages: [], error: "Gateway Timeout" },
  { requestError: { serviceException: { messageId: "GATEWAY_TIMEOUT", text: "Gateway Timeout" } } },
  { SMSMessageData: { Message: "Gateway Timeout", Recipients: [] } },
];

describe.each(CASES)("%s", (id, samples) => {
  const provider = providerOf(id);
  const read = (status: number, body: string) => provider.readResponse({ status, headers: {}, body });
  const readJson = (status: number, body: unknown) => read(status, JSON.stringify(body));
  const readBody = (body: unknown) => provider.readCallback(samples.format === "json" ? inJson(body) : inForm(body));

  it("reads its samples", () => {
    expect(readJson(201, samples.taken).kind).toBe("accepted");
    expect(OutcomeShape.parse(readJson(500, samples.failed))).toMatchObject({ kind: "retryable", fault: "provider" });
    expect(ContentShape.parse(readBody(samples.receipt)).reports).toHaveLength(1);
    expect(ContentShape.parse(readBody(samples.inbound)).inbound).toHaveLength(1);
  });

  it.each([502, 504, 520, 524])("%d proves that nothing was sent only with a code of the provider's own", (status) => {
    expect(OutcomeShape.parse(readJson(status, samples.failed))).toMatchObject(
      samples.isDocumented ? { kind: "retryable", fault: "provider" } : { kind: "unknown", code: `http_${status}` },
    );
    const texts = [
      "",
      "<html>",
      "Bad gateway",
      "null",
      "[]",
      "{}",
      ...gatewayErrors(status).map((one) => JSON.stringify(one)),
    ];
    for (const body of texts) {
      expect(OutcomeShape.parse(read(status, body))).toMatchObject({ kind: "unknown", code: `http_${status}` });
      for (const other of [500, 503]) {
        expect(OutcomeShape.parse(read(other, body))).toMatchObject({ kind: "retryable", fault: "provider" });
      }
    }
  });

  it("never returns a malformed outcome, nor accepts an error", () => {
    const isYes = (status: number) =>
      (status >= 200 && status < 300) || (id.startsWith("clickatell") && status === 400);
    fc.assert(
      fc.property(anyStatus, textOf(samples.taken, samples.failed), (status, body) => {
        const outcome = attempt(() => read(status, body));
        if (outcome) OutcomeShape.parse(outcome);
        expect(outcome?.kind === "accepted" && !isYes(status)).toBe(false);
      }),
      { numRuns: 500 * MODEL_TIMES },
    );
  });

  it("never returns a malformed report", () => {
    fc.assert(
      fc.property(callbackOf(samples), (callback) => {
        const content = attempt(() => provider.readCallback(callback));
        if (content) ContentShape.parse(content);
      }),
      { numRuns: 500 * MODEL_TIMES },
    );
  });

  it.each([...WORDS, "", " ", null, true, 7, [], {}])("handles %j in every field", (value) => {
    for (const at of Array.from({ length: 20 }, (_, i) => i)) {
      for (const [status, sample] of [[201, samples.taken] as const, [422, samples.failed] as const]) {
        const outcome = attempt(() => readJson(status, altered(sample, at, value)));
        if (outcome) OutcomeShape.parse(outcome);
      }
      const content = attempt(() => readBody(altered(samples.receipt, at, value)));
      if (content) ContentShape.parse(content);
    }
  });
});

describe("a setting in the path of a request", () => {
  const text = "a/b?c#d";
  const channels = "15551230000=00000000-0000-4000-8000-000000000000";
  const sendRequest = {
    message: { id: "m", to: "+15551230001", from: "15551230000", body: "hi", encoding: "GSM-7", segments: 1 },
    reference: "msg_1-1",
    receiptUrl: "https://sms.example.test/receipts",
  } as const;

  it.each([
    ["twilio", { accountSid: text, authToken: "t" }],
    ["plivo", { authId: text, authToken: "t" }],
    ["sinch", { servicePlanId: text, apiToken: "t" }],
    ["bandwidth", { accountId: text, username: "u", password: "p" }],
    ["messagebird", { accessKey: "k", workspaceId: text, channels }],
  ])("stays one segment of it, whatever it contains: %s", (id, settings) => {
    const { url } = providerOf(id).buildRequest(sendRequest, {
      baseUrl: "https://x.test",
      birdBaseUrl: "https://x.test",
      ...settings,
    });
    const { pathname, search, hash } = new URL(url);
    expect(pathname.split("/")).toContain(encodeURIComponent(text));
    expect([search, hash]).toEqual(["", ""]);
  });
});
