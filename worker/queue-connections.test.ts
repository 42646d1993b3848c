import type { Notification } from "pg";
import { expect, test } from "vitest";
import { concerns } from "./queue-connections";

const TASKS = { send_mail: () => undefined, post_alert: () => undefined };
const announcement = (payload: string | undefined, channel = "jobs:insert") =>
  ({ channel, payload, processId: 1 }) as unknown as Notification;

test.each([
  ['{"count" : 1, "tasks" : ["send_mail"]}', true],
  ['{"count":1,"tasks":["dispatch_messages","post_alert"]}', true],
  ['{"count":1,"tasks":["dispatch_messages"]}', false],
  ['{"count":1,"tasks":[]}', false],
  ["", true],
  [undefined, true],
])("%s concerns a queue of emails and alerts: %s", (payload, isConcerned) => {
  expect(concerns(TASKS, announcement(payload))).toBe(isConcerned);
});

test("announcements without tasks, and those of other kinds, concern every queue", () => {
  expect(concerns(TASKS, announcement('{"r":0.5,"count":1}'))).toBe(true);
  expect(concerns(TASKS, announcement('{"tasks":["other"]}', "worker:migrate"))).toBe(true);
});
