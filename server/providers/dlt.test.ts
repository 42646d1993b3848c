import { generateKeyPairSync } from "node:crypto";
import { expect, test } from "vitest";
import { infobip } from "./adapters/infobip";
import { plivo } from "./adapters/plivo";
import { vonage } from "./adapters/vonage";
import type { DltIds, SendRequest } from "./port";

const IDS: DltIds = { entityId: "1201", templateId: "1107", templateCategory: "service_implicit" };
const { privateKey } = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
  publicKeyEncoding: { type: "spki", format: "pem" },
});

const requestTo = (to: string, dlt: DltIds | null): SendRequest => ({
  message: { id: "msg_1", to, from: "ACME", body: "Hello", encoding: "GSM-7", segments: 1, dlt },
  reference: "msg_1-1",
  receiptUrl: "https://sms.example.com/r",
});

const form = (request: SendRequest) => {
  const settings = vonage.settings.parse({ apiKey: "k", apiSecret: "s" });
  const fields = new URLSearchParams(vonage.buildRequest(request, settings).body ?? "");
  return { entity: fields.get("entity-id"), template: fields.get("content-id") };
};

const messages = (request: SendRequest) => {
  const settings = vonage.settings.parse({ applicationId: "app", privateKey });
  const { sms } = JSON.parse(vonage.buildRequest(request, settings, "token").body ?? "");
  return { entity: sms.entity_id ?? null, template: sms.content_id ?? null };
};

const plivoFields = (request: SendRequest) => {
  const body = JSON.parse(
    plivo.buildRequest(request, plivo.settings.parse({ authId: "a", authToken: "t" })).body ?? "",
  );
  return {
    entity: body.dlt_entity_id ?? null,
    template: body.dlt_template_id ?? null,
    category: body.dlt_template_category ?? null,
  };
};

const regional = (request: SendRequest) => {
  const body = JSON.parse(infobip.buildRequest(request, infobip.settings.parse({ apiKey: "k" })).body ?? "");
  const ids = body.messages[0].options?.regional?.indiaDlt;
  return { entity: ids?.principalEntityId ?? null, template: ids?.contentTemplateId ?? null };
};

const CARRIERS = [
  ["vonage", form],
  ["vonage, Messages API", messages],
  ["plivo", plivoFields],
  ["infobip", regional],
] as const;

test.each(CARRIERS)("%s gets the ids of a registration in India with messages to India", (_, read) => {
  expect(read(requestTo("+919812345678", IDS))).toMatchObject({ entity: "1201", template: "1107" });
  expect(read(requestTo("+919812345678", { ...IDS, templateId: null, templateCategory: null }))).toMatchObject({
    entity: "1201",
    template: null,
  });
});

test.each(CARRIERS)("%s gets no ids with other messages", (_, read) => {
  for (const request of [requestTo("+14155550123", IDS), requestTo("+919812345678", null)]) {
    expect(read(request)).toMatchObject({ entity: null, template: null });
  }
});

test("plivo gets the category of the template", () => {
  expect(plivoFields(requestTo("+919812345678", IDS)).category).toBe("service_implicit");
});
