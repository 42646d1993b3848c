/** An account as a shop would have it: messages of all kinds, a month of history, webhooks that work and one that does not. */
import { pool } from "@/server/core/db";
import type { Api } from "../support/api";
import { replyFromHandset } from "../support/behind-the-api";

const DAYS_OF_HISTORY = 29;
const PRICE_MICROS = 10_000;
const OFF = 7;

type Sent = readonly [to: string, body: string, reference: string];

const ORDERS: readonly Sent[] = [
  ["+14155550142", "Your order 4711 has left our warehouse. Track it: https://nw.example/t/4711", "order-4711"],
  ["+14155550187", "Hi Grace, your parcel arrives today between 2 and 4 pm.", "order-4698"],
  ["+447700900123", "Your Northwind code is 482 913. It is valid for 10 minutes.", "login-88231"],
  ["+447700900456", "Table for two tomorrow at 19:30 is confirmed. Reply STOP to opt out.", "booking-302"],
  ["+4915112345678", "Ihr Termin am Montag um 9:15 Uhr ist bestätigt.", "termin-114"],
  ["+4915187654321", "Ihre Bestellung 4702 ist abholbereit.", "order-4702"],
  ["+33612345678", "Votre code Northwind est 771 204.", "login-88240"],
  ["+14155550111", "Reminder: your appointment with Dr. Lee is on Friday at 10:00.", "visit-2209"],
  ["+15550100003", "Your invoice 2026-118 is due on Friday.", "invoice-118"],
  ["+15550100009", "We could not deliver your parcel. Choose a new day: https://nw.example/r/4655", "order-4655"],
  ["+15550100001", "Thanks for your order! We will tell you when it ships.", "order-4713"],
  ["+15550100008", "Your password was changed. Was it not you? Call us.", "security-51"],
];
const ROUNDS = 3;

const REPLIES: readonly (readonly [from: string, text: string])[] = [
  ["+14155550142", "Thanks, got it!"],
  ["+447700900456", "STOP"],
  ["+4915112345678", "Ich komme etwas später, ist das in Ordnung?"],
];

async function sendAll(api: Api, sender: string): Promise<string> {
  let first = "";
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [to, body, reference] of ORDERS) {
      const { body: made } = await api.post("/messages/send", { from: sender, to, body, reference });
      if (first === "" && reference === "order-4711") first = String(made.data.id);
    }
  }
  return first;
}

/** Writes the counters of the days before today: a growing shop, with quiet weekends. */
async function writeHistory(accountId: string): Promise<void> {
  for (let ago = 1; ago <= DAYS_OF_HISTORY; ago += 1) {
    const day = new Date(Date.now() - ago * 86_400_000);
    const isWeekend = day.getUTCDay() % 6 === 0;
    const messages = Math.round((isWeekend ? 90 : 210) + 40 * Math.sin(ago * 1.7) - ago * 2.5);
    const failed = Math.round(messages * 0.012) + (ago === OFF ? 14 : 0);
    const undelivered = Math.round(messages * 0.02);
    const segments = Math.round(messages * 1.2);
    await pool().query(
      `INSERT INTO usage_days (account_id, day, messages, segments, cost_micros, delivered, failed, undelivered)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING`,
      [
        accountId,
        day.toISOString().slice(0, 10),
        messages,
        segments,
        segments * PRICE_MICROS,
        messages - failed - undelivered,
        failed,
        undelivered,
      ],
    );
  }
}

/** Fills an account. @returns the ids of a message and an endpoint worth a picture. */
export async function fill(
  api: Api,
  { accountId, sender }: { accountId: string; sender: string },
  receiverUrl: string,
): Promise<{ messageId: string; endpointId: string }> {
  const { body: endpoint } = await api.post("/webhooks/create", { url: receiverUrl });
  const messageId = await sendAll(api, sender);
  for (const name of ["Shop, production", "Warehouse"]) {
    await api.post("/api-keys/create", { name, permissions: ["sms:send", "sms:read"] });
  }
  await api.post("/suppressions", { number: "+14155550199", note: "Asked by phone" });
  for (const [from, text] of REPLIES) await replyFromHandset(from, sender, text);
  await writeHistory(accountId);
  return { messageId, endpointId: String(endpoint.data.id) };
}
