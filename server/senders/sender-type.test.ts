import { expect, test } from "vitest";
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
