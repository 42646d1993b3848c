import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { signatureProblem } from "./signatures";

const [OLD, NEW] = ["whsec_b2xk", "whsec_bmV3"];
const body = Buffer.from('{"id":"evt_1"}');
const now = Math.floor(Date.now() / 1_000);

/** A webhook signed with these secrets, at a time in unix seconds. */
function signed(secrets: readonly string[], at = now) {
  const service = secrets.map(
    (secret) => `,v1=${createHmac("sha256", secret).update(`${at}.`).update(body).digest("hex")}`,
  );
  const standard = secrets.map((secret) => {
    const key = Buffer.from(secret.slice("whsec_".length), "base64");
    return `v1,${createHmac("sha256", key).update(`evt_1.${at}.`).update(body).digest("base64")}`;
  });
  const headers = {
    "service-signature": `t=${at}${service.join("")}`,
    "webhook-id": "evt_1",
    "webhook-timestamp": String(at),
    "webhook-signature": standard.join(" "),
  };
  return { path: "/a", headers, body };
}

const known = (newSinceMs: number) => [
  { secret: OLD, sinceMs: 0 },
  { secret: NEW, sinceMs: newSinceMs },
];

test("both secrets of a rotation are used, and a webhook from just after it may have only the old one", () => {
  expect(signatureProblem(signed([NEW, OLD]), known(0))).toBeNull();
  expect(signatureProblem(signed([OLD]), known(now * 1_000))).toBeNull();
});

test("a later webhook must have the new signature", () => {
  expect(signatureProblem(signed([OLD]), known(now * 1_000 - 2_000))).toBe("it is not signed with the latest secret");
});

test("a foreign secret, a changed body and an old time are found", () => {
  expect(signatureProblem(signed(["whsec_Zm9v"]), known(0))).toBe("Service-Signature is not that of the body");
  expect(signatureProblem({ ...signed([NEW]), body: Buffer.from("{}") }, known(0))).toContain("not that of the body");
  expect(signatureProblem(signed([NEW], now - 400), known(0))).toContain("is not now");
});
