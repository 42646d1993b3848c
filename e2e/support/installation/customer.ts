/** An account of an installation and its messages, as the API shows them. */
import { randomInt } from "node:crypto";
import { expect } from "@playwright/test";
import type { Message } from "@/server/messages/schema";
import type { Timeline, TimelineEntry } from "@/server/messages/timeline-schema";
import type { Event } from "@/server/webhooks/schema";
import type { Carrier, TakenMessage } from "../../../test/carriers/carrier";
import { apiWith } from "../api";
import type { Installation } from "./installation";

type Entry<Kind extends TimelineEntry["kind"]> = Extract<TimelineEntry, { kind: Kind }>["details"];

const LOOK_AT_MS = [50, 100, 200];

let lastNumber = randomInt(10_000_000);

/** A number in E.164 that no other message is sent to. */
export function newNumber(): string {
  lastNumber += 1;
  return `+49151${String(lastNumber).padStart(8, "0")}`;
}

/** The messages that a carrier took for a number. */
export const takenFor = (carrier: Carrier, to: string): TakenMessage[] =>
  carrier.taken.filter((message) => message.to === to);

/** The only message that a carrier takes for a number, once it has. */
export async function takenBy(carrier: Carrier, to: string): Promise<TakenMessage> {
  await expect
    .poll(() => takenFor(carrier, to).length, { message: `taken for ${to}`, intervals: [10, 20, 50] })
    .toBe(1);
  const [taken] = takenFor(carrier, to);
  if (!taken) throw new Error("It was taken and is gone.");
  return taken;
}

/** Creates an account whose messages take that route. */
export async function newCustomer(installation: Pick<Installation, "web" | "makeAccount">, routeId: number) {
  const account = await installation.makeAccount();
  const api = apiWith(installation.web, account.apiKey);
  const read = async (id: string) => (await api.get<Message>(`/messages/${id}`)).body.data;
  const timeline = async (id: string) => (await api.get<Timeline>(`/messages/${id}/timeline`)).body.data.entries;
  const details = async <Kind extends TimelineEntry["kind"]>(id: string, kind: Kind): Promise<Entry<Kind>[]> =>
    (await timeline(id)).flatMap((entry) => (entry.kind === kind ? [entry.details as Entry<Kind>] : []));

  return {
    account,
    api,
    read,
    /** Sends one message. A new route takes effect within a second. @returns its id. */
    send: async (to: string, body = "Your parcel is on its way"): Promise<string> => {
      let id = "";
      await expect
        .poll(
          async () => {
            const input = { to, from: account.sender, body, route_id: routeId };
            const { status, body: answer } = await api.post("/messages/send", input);
            id = String(answer.data?.id);
            return { status, error: answer.error };
          },
          { intervals: LOOK_AT_MS },
        )
        .toEqual({ status: 201, error: undefined });
      return id;
    },
    /** Sends one text to many recipients. @returns the ids, in their order. */
    sendAll: async (recipients: string[], body = "Your parcel is on its way"): Promise<string[]> => {
      const { body: answer } = await api.post("/messages/bulk", {
        recipients,
        body,
        from: account.sender,
        route_id: routeId,
      });
      expect(answer.error).toBeUndefined();
      return (answer.data.messages as Message[]).map((message) => message.id);
    },
    /** The message, once it has this status. */
    reaches: async (id: string, status: Message["status"]): Promise<Message> => {
      const message = `status of ${id}`;
      await expect.poll(async () => (await read(id)).status, { message, intervals: LOOK_AT_MS }).toBe(status);
      return read(id);
    },
    /** Its attempts in order: provider and outcome. */
    attempts: async (id: string) =>
      (await details(id, "attempt")).map(({ provider, outcome, code }) => ({ provider, outcome, code })),
    /** Its delivery receipts: status, and whether each was applied. */
    receipts: async (id: string) =>
      (await details(id, "receipt")).map(({ status, applied }) => `${status}${applied ? "" : ", not applied"}`),
    money: async (id: string) => (await details(id, "money")).map(({ kind }) => kind),
    /** The events of its changes, oldest first. */
    events: async (id: string): Promise<Event[]> =>
      (await api.get<Event[]>("/events?limit=100")).body.data.filter((event) => event.data.id === id).reverse(),
  };
}

export type Customer = Awaited<ReturnType<typeof newCustomer>>;
