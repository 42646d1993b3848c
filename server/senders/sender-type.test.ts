import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { sendersTexts } from "@/app/_texts/senders";
import { CreateSenderInput } from "./schema";
import { agreesWithForm, senderTypeOf } from "./sender-type";

test("the type follows from the form", () => {
  expect(senderTypeOf("Acme")).toBe("alphanumeric");
  expect(senderTypeOf("123")).toBe("short_code");
  expect(senderTypeOf("123456")).toBe("short_code");
  expect(senderTypeOf("1234567")).toBe("long_code");
  expect(senderTypeOf("+123456")).toBe("long_code");
  expect(senderTypeOf("+14155550123")).toBe("long_code");
});

test("an invalid sender ID has no type", () => {
  for (const text of ["", "12", "Much too long a name", "1234567890123456", " Acme"]) {
    expect(senderTypeOf(text)).toBeNull();
  }
});

test("numeric agrees with every number and no name", () => {
  expect(agreesWithForm("numeric", "short_code")).toBe(true);
  expect(agreesWithForm("numeric", "long_code")).toBe(true);
  expect(agreesWithForm("numeric", "alphanumeric")).toBe(false);
  expect(agreesWithForm("short_code", "long_code")).toBe(false);
  expect(agreesWithForm("alphanumeric", "alphanumeric")).toBe(true);
});

/** The one line of a document that is about a text. */
const lineAbout = (file: string, about: string): string =>
  readFileSync(file, "utf8")
    .split("\n")
    .find((line) => line.includes(about)) ?? "";

test("every place that says what a sender ID consists of names the characters that are taken", () => {
  const places = [
    CreateSenderInput.shape.sender_id.description ?? "",
    sendersTexts.registration.senderIdHint,
    lineAbout("docs/limits.md", "| sender ID |"),
    lineAbout("docs/errors.md", "`invalid_sender_id`"),
  ];
  for (const text of places) {
    for (const part of ["11 characters", "letters", "digits", "spaces", ". _ - &", "3 to 15 digits"])
      expect(text).toContain(part);
  }
  for (const character of ". _-&") expect(senderTypeOf(`A${character}1`)).toBe("alphanumeric");
  for (const none of ["1.2", ". -", "A ", "A+B", "Größe"]) expect(senderTypeOf(none)).toBeNull();
});
