import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { COMPRESSED_MIN_BYTES, codingOf, compress } from "./compress";

test.each([
  [undefined, null],
  ["", null],
  ["identity", null],
  ["gzip", "gzip"],
  ["gzip, deflate", "gzip"],
  ["gzip, deflate, br", "br"],
  ["GZIP;q=1.0, br;q=0.5", "gzip"],
  ["br;q=0, gzip;q=0", null],
  ["*", "br"],
  ["*;q=0.5, br;q=0", "gzip"],
  ["gzip;q=x", null],
])("Accept-Encoding: %s gets %s", (accepted, coding) => {
  expect(codingOf(accepted)).toBe(coding);
});

describe("compress", () => {
  const body = JSON.stringify({ data: Array.from({ length: 200 }, (_, at) => ({ id: `msg_${at}`, body: "Grüße" })) });
  const answer = { status: 200, headers: { "request-id": "req_1" }, body };

  test("leaves small responses as they are", async () => {
    const small = { ...answer, body: "x".repeat(COMPRESSED_MIN_BYTES - 1) };
    expect(await compress(small, "gzip")).toBe(small);
  });

  test("leaves a response with a secret as it is, however large", async () => {
    const secret = { ...answer, hasSecret: true };
    expect(await compress(secret, "gzip")).toBe(secret);
  });

  test("varies by the header, and decompresses to the same text", async () => {
    const plain = await compress(answer, undefined);
    expect(plain).toEqual({ ...answer, headers: { "request-id": "req_1", vary: "accept-encoding" } });
    const [gz, br] = [await compress(answer, "gzip"), await compress(answer, "br")];
    expect(gz.headers).toMatchObject({ "content-encoding": "gzip" });
    expect(gunzipSync(gz.body).toString()).toBe(body);
    expect(brotliDecompressSync(br.body).toString()).toBe(body);
    expect(br.body.length).toBeLessThan(body.length / 4);
  });
});
