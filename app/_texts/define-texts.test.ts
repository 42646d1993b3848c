import { expect, test } from "vitest";
import { defineTexts, plural } from "./define-texts";

test("texts are looked up when they are read", () => {
  const en = {
    title: "Messages",
    sent: (count: number) => `${count} ${plural(count, { one: "message", other: "messages" })}`,
  };
  const texts = defineTexts({ en });
  en.title = "All messages";
  expect([texts.title, texts.sent(1), texts.sent(2)]).toEqual(["All messages", "1 message", "2 messages"]);
});
