import { expect, test } from "vitest";
import { foundChoices, knownChoices } from "./choices";

const labels = (text: string, searcher: { isOperator?: boolean; mayChange?: boolean } = {}) =>
  knownChoices(text, { isOperator: false, mayChange: true, ...searcher }).flatMap(({ choices }) =>
    choices.map(({ label }) => label),
  );

test("a page or action is found by the beginnings of its words, in any order and case", () => {
  expect(labels("webh")).toEqual(["Webhooks", "Add a webhook endpoint"]);
  expect(labels("KEY cre")).toEqual(["Create an API key"]);
  expect(labels("theme dark")).toEqual(["Theme: dark"]);
  expect(labels("ebhook")).toEqual([]);
});

test("an action is found by other words for it", () => {
  expect(labels("log out")).toEqual(["Sign out"]);
  expect(labels("opt-out")).toEqual(["Suppress a number"]);
  for (const spelling of ["color", "colours"]) {
    expect(labels(spelling)).toEqual(["Theme: light", "Theme: dark", "Theme: match system"]);
  }
});

test("people who may change nothing are offered only pages to read", () => {
  for (const text of ["send", "create", "register sender", "suppress number", "webhook"]) {
    const [offered, all] = [labels(text, { mayChange: false }), labels(text)];
    expect(all, text).toEqual(expect.arrayContaining(offered));
    expect(offered.length, text).toBeLessThan(all.length);
  }
  expect(labels("webhook", { mayChange: false })).toEqual(["Webhooks"]);
});

test("the pages of operators are offered to them only", () => {
  expect(labels("accounts")).toEqual([]);
  expect(labels("accounts", { isOperator: true })).toEqual(["Accounts"]);
});

test("results are listed by kind, and an event leads to its message", () => {
  const item = { title: "message.sent", detail: "evt_1", id: "evt_1", created_at: null };
  const found = [
    { ...item, kind: "sender" as const, id: "snd_1", message_id: null },
    { ...item, kind: "event" as const, message_id: "msg_1" },
  ];
  expect(foundChoices(found).map(({ label, choices }) => [label, choices.length])).toEqual([
    ["Events", 1],
    ["Senders", 1],
  ]);
  expect(foundChoices(found)[0]?.choices[0]).toMatchObject({ href: "/messages/msg_1" });
});
