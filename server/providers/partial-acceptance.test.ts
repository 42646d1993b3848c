import { expect, test, vi } from "vitest";
import { reportingMissingParts } from "./partial-acceptance";
import type { Adapter, CallbackContent, SendOutcome, SendRequest } from "./port";

vi.stubEnv("DATABASE_URL", "postgresql://nobody@127.0.0.1/none");
vi.stubEnv("SECRET_KEY", "0".repeat(32));
vi.stubEnv("LOG_LEVEL", "silent");

const message = { id: "msg_1", to: "+491511234567", from: "Shop", body: "hi", encoding: "GSM-7", segments: 2 } as const;
const sendRequest: SendRequest = { message, reference: "msg_1-1", receiptUrl: "https://sms.example.test/receipts" };
const lost = { code: "9", detail: "Part 2 of 2 was not taken." };

const adapterOf = (outcome: SendOutcome): Adapter => ({ id: "vonage", maxInFlight: 1, send: async () => outcome });

test("the missing part has an id beside the others, and is reported as undelivered under it", async () => {
  const told: CallbackContent[] = [];
  const adapter = reportingMissingParts(
    adapterOf({ kind: "accepted", providerMessageIds: ["A1"], lost }),
    async (content) => {
      told.push(content);
    },
  );
  expect(await adapter.send(sendRequest)).toMatchObject({
    kind: "accepted",
    providerMessageIds: ["A1", "msg_1-1-missing"],
  });
  const about = { providerMessageId: "msg_1-1-missing", reference: null, occurredAt: null };
  expect(told).toEqual([{ reports: [{ ...about, ...lost, status: "undelivered" }], inbound: [] }]);
});

test("the message does not become whole when the report could not be stored", async () => {
  const adapter = reportingMissingParts(adapterOf({ kind: "accepted", providerMessageIds: ["A1"], lost }), () =>
    Promise.reject(new Error("no database")),
  );
  expect(await adapter.send(sendRequest)).toMatchObject({ providerMessageIds: ["A1", "msg_1-1-missing"] });
});

test("every other outcome is left as it is, and nothing is reported", async () => {
  const take = () => Promise.reject(new Error("nothing is to be reported"));
  for (const outcome of [
    { kind: "accepted", providerMessageIds: ["A1", "A2"] },
    { kind: "unknown", code: "timeout", detail: "No answer." },
  ] as const) {
    expect(await reportingMissingParts(adapterOf(outcome), take).send(sendRequest)).toBe(outcome);
  }
});
