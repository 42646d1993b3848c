import { describe, expect, it } from "vitest";
import { fillIn, placeholdersOf } from "./placeholders";

describe("fillIn", () => {
  it("replaces every placeholder by its value, with or without spaces around the name", () => {
    const filled = fillIn("Hi {{name}}, {{ name }}: {{order no}}", { name: "Ann", "order no": "7" });
    expect(filled).toEqual({ body: "Hi Ann, Ann: 7", missing: [] });
  });

  it("names the placeholders without a value, and leaves them as they are", () => {
    expect(fillIn("{{a}} {{b}} {{a}}", { b: "" })).toEqual({ body: "{{a}}  {{a}}", missing: ["a"] });
    expect(fillIn("{{toString}}", {})).toEqual({ body: "{{toString}}", missing: ["toString"] });
  });

  it("reads names of any length, however many spaces are around them", () => {
    const [longest, longer] = ["n".repeat(100), "😀".repeat(101)];
    expect(fillIn(`{{  ${longest}  }}{{${longer}}}`, { [longest]: "Ann" })).toEqual({
      body: `Ann{{${longer}}}`,
      missing: [longer],
    });
  });

  it("does not search values for placeholders or patterns", () => {
    expect(fillIn("{{a}}{{b}}", { a: "{{b}}", b: "$&$1" })).toEqual({ body: "{{b}}$&$1", missing: [] });
  });

  it("takes other braces for text", () => {
    const text = "{name} {{}} {{a{b}} { {c} }";
    expect(fillIn(text, {})).toEqual({ body: text, missing: [] });
    expect(placeholdersOf(text)).toEqual([]);
  });
});

it("lists the names of a text once each, in their order", () => {
  expect(placeholdersOf("{{b}} {{ a }} {{b}}")).toEqual(["b", "a"]);
});
