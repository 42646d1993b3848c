import { expect } from "@playwright/test";
import type { Message } from "@/server/messages/schema";
import type { CheckedApi } from "./checked-api";

/** A time in the API's format. */
export const ISO = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

/** The message, once it has this status. */
export async function messageIn(rest: CheckedApi, id: string, status: Message["status"]): Promise<Message> {
  const read = () => rest.get<Message>(`/messages/${id}`);
  await expect
    .poll(async () => (await read()).status, { message: `status of ${id}`, intervals: [50, 100] })
    .toBe(status);
  return read();
}

/** The account's balance, in units of its currency. */
export const balanceOf = async (rest: CheckedApi): Promise<number> =>
  (await rest.get<{ balance: number }>("/balance")).balance;
