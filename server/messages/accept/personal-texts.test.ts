import { expect, it } from "vitest";
import { personalTexts } from "./personal-texts";

const RECIPIENTS = ["+14155550101", "+14155550102"];
const make = (body: string, variables: Record<string, string>[], smart = false) =>
  personalTexts({ body, variables, recipients: RECIPIENTS, smart_encoding: smart });

it("gives each recipient its own text, with its own encoding and segments", () => {
  const { texts } = make("Hi {{name}}", [{ name: "Ann" }, { name: "ą".repeat(70) }]);
  expect(texts).toEqual([
    { body: "Hi Ann", encoding: "GSM-7", segments: 1 },
    { body: `Hi ${"ą".repeat(70)}`, encoding: "UCS-2", segments: 2 },
  ]);
});

it("replaces typographic punctuation in values too, if requested", () => {
  expect(make("Hi {{name}}", [{ name: "O’Neill" }, { name: "X" }], true).texts?.[0]).toMatchObject({
    body: "Hi O'Neill",
    encoding: "GSM-7",
  });
});

it("refuses all when one recipient's variables do not fit, and names them", () => {
  const refusalOf = (body: string, variables: Record<string, string>[]) => make(body, variables).refusal?.wire;
  const common = { code: "invalid_request", details: { reason: "invalid_variables" } };
  expect(refusalOf("Hi {{name}}", [{ name: "Ann" }, { nam: "Bob" }])).toMatchObject({
    ...common,
    param: "variables[1]",
    message: "variables[1] has no value for {{name}}.",
  });
  expect(refusalOf("{{a}}", [{ a: "x" }, { a: "" }])).toMatchObject({ ...common, param: "variables[1]" });
  expect(refusalOf("{{a}}b", [{ a: "x".repeat(1_600) }, { a: "" }])).toMatchObject({
    ...common,
    param: "variables[0]",
  });
  expect(refusalOf("{{a}}", [{ a: "x" }])).toMatchObject({ ...common, param: "variables" });
  expect(refusalOf("{{a}}b", [{ a: "😀".repeat(1_599) }, { a: "" }])).toBeUndefined();
});
