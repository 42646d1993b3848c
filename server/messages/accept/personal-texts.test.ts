import { expect, it } from "vitest";
import { personalTexts } from "./personal-texts";

const RECIPIENTS = ["+14155550101", "+14155550102"];
const make = (body: string, variables: Record<string, string>[], smart = false) =>
  personalTexts({ body, variables, recipients: RECIPIENTS, smart_encoding: smart });

it("gives each recipient its own text, with its own encoding and segments", async () => {
  const { texts } = await make("Hi {{name}}", [{ name: "Ann" }, { name: "ą".repeat(70) }]);
  expect(texts).toEqual([
    { body: "Hi Ann", encoding: "GSM-7", segments: 1 },
    { body: `Hi ${"ą".repeat(70)}`, encoding: "UCS-2", segments: 2 },
  ]);
});

it("replaces typographic punctuation in values too, if requested", async () => {
  const { texts } = await make("Hi {{name}}", [{ name: "O’Neill" }, { name: "X" }], true);
  expect(texts?.[0]).toMatchObject({ body: "Hi O'Neill", encoding: "GSM-7" });
});

it("refuses all when one recipient's variables do not fit, and names them", async () => {
  const refusalOf = async (body: string, variables: Record<string, string>[]) =>
    (await make(body, variables)).refusal?.wire;
  const common = { code: "invalid_request", details: { reason: "invalid_variables" } };
  expect(await refusalOf("Hi {{name}}", [{ name: "Ann" }, { nam: "Bob" }])).toMatchObject({
    ...common,
    param: "variables[1]",
    message: "variables[1] has no value for {{name}}.",
  });
  const long = "n".repeat(101);
  expect(await refusalOf(`{{${long}}}`, [{ a: "x" }, { a: "y" }])).toMatchObject({
    ...common,
    message: `variables[0] has no value for {{${long.slice(0, 100)}…}}.`,
  });
  expect(await refusalOf("{{a}}", [{ a: "x" }, { a: "" }])).toMatchObject({ ...common, param: "variables[1]" });
  expect(await refusalOf("{{a}}b", [{ a: "x".repeat(1_600) }, { a: "" }])).toMatchObject({
    ...common,
    param: "variables[0]",
  });
  expect(await refusalOf("{{a}}", [{ a: "x" }])).toMatchObject({ ...common, param: "variables" });
  expect(await refusalOf("{{a}}b", [{ a: "😀".repeat(1_599) }, { a: "" }])).toBeUndefined();
});

it("lets others have their turn between many recipients", async () => {
  const recipients = Array.from({ length: 1_000 }, () => "+14155550101");
  const variables = recipients.map(() => ({ a: "ж".repeat(300) }));
  let turns = 0;
  let isOver = false;
  const take = () => {
    turns += 1;
    if (!isOver) setImmediate(take);
  };
  setImmediate(take);
  const { texts } = await personalTexts({ body: "{{a}}", recipients, variables, smart_encoding: true });
  isOver = true;
  expect(texts).toHaveLength(1_000);
  expect(turns).toBeGreaterThan(5);
});
