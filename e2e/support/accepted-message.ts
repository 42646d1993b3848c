import { expect } from "@playwright/test";
import { ISO } from "./follow";

/** A one-segment GSM-7 message in every field, as the response to its acceptance shows it; `more` says what differs. */
export const acceptedMessage = (more: { to: string; from: string; body: string; [field: string]: unknown }) => ({
  id: expect.stringMatching(/^msg_[0-9a-z]{26}$/),
  object: "message",
  encoding: "GSM-7",
  segments: 1,
  reference: null,
  status: "pending",
  cost: 0.01,
  currency: "USD",
  provider: "sandbox",
  provider_message_id: "",
  attempts: 0,
  error: null,
  created_at: ISO,
  sent_at: null,
  delivered_at: null,
  failed_at: null,
  metadata: null,
  scheduled_at: null,
  validity_period: null,
  ...more,
});
