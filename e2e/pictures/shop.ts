/** The product with a shop's account in it, for pictures and measurements. */
import { randomBytes } from "node:crypto";
import { startReceiver } from "../../test/network/receiver";
import { admin, type OwnAccount } from "../support/accounts";
import { apiWith } from "../support/api";
import { operatorOf } from "../support/operator";
import start, { runningService, type Service } from "../support/service";
import { fill } from "./lifelike";

export type Shop = { service: Service; account: OwnAccount; messageId: string; endpointId: string };

const SETTLED_WITHIN_MS = 60_000;
const POLL_MS = 500;

/** Waits until all messages are final, except those that never get a receipt. */
async function settle({ service, account }: Pick<Shop, "service" | "account">): Promise<void> {
  const api = apiWith(service, account.apiKey);
  const deadline = Date.now() + SETTLED_WITHIN_MS;
  while (Date.now() < deadline) {
    const { body } = await api.get<unknown[]>("/messages?status=pending&limit=1");
    if (body.data.length === 0) return;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new Error("The shop's messages did not leave within a minute.");
}

/**
 * Starts the built product, or uses the one whose data folder E2E_DATA_DIR names, fills a new account and passes it to `use`.
 */
export async function withShop(use: (shop: Shop) => Promise<void>): Promise<void> {
  const stop = process.env.E2E_DATA_DIR ? async () => {} : await start();
  const receiver = await startReceiver();
  const service = runningService();
  const operator = operatorOf(service);
  try {
    const email = `ada-${randomBytes(3).toString("hex")}@northwind.example`;
    const owner = ["--email", email, "--name", "Ada Bell", "--company", "Northwind"];
    const made = await admin(service, "account", "create", ...owner, "--balance", "250", "--sender", "NORTHWIND");
    const account = made as OwnAccount;
    const filled = await fill(apiWith(service, account.apiKey), account, receiver.url);
    await settle({ service, account });
    await use({ service, account, ...filled });
  } finally {
    await operator.close();
    await receiver.close();
    await stop();
  }
}
