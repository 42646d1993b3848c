import { expect, test } from "vitest";
import { ListSuppressionsQuery } from "../suppressions/schema";
import { EstimateInput } from "./accept/estimate-schema";
import { ListMessagesQuery, PhoneNumberQuery, SendBulkInput, SendMessageInput } from "./schema";

test("a number in a query may start with a space, which an unescaped plus becomes", () => {
  const [[, number] = []] = [...new URLSearchParams("to=+14155550123")];
  expect(PhoneNumberQuery.parse(number)).toBe("+14155550123");
  expect(PhoneNumberQuery.parse("+14155550123")).toBe("+14155550123");
});

test("a sender ID in a query may start with a space too", () => {
  const { from, sender_id } = Object.fromEntries(new URLSearchParams("from=+14155550123&sender_id=+14155550123"));
  expect(ListMessagesQuery.parse({ from })).toMatchObject({ from: "+14155550123" });
  expect(ListSuppressionsQuery.parse({ sender_id })).toMatchObject({ sender_id: "+14155550123" });
  expect(ListMessagesQuery.parse({ from: "My Shop" })).toMatchObject({ from: "My Shop" });
});

test.each(["", " ", "14155550123", "  14155550123", "+ 14155550123", "+1415", "nobody"])(
  "%j is not a number",
  (text) => {
    expect(PhoneNumberQuery.safeParse(text).success).toBe(false);
  },
);

test("every reference that a send accepts can be a filter, even an empty one", () => {
  for (const reference of ["", " ", "order-4711", "x".repeat(255)]) {
    expect(SendMessageInput.parse({ ...single, reference }).reference).toBe(reference);
    expect(ListMessagesQuery.parse({ reference }).reference).toBe(reference);
  }
});

const text = { from: "DEMO", body: "Hello" };
const single = { to: "+14155550123", ...text };
const bulk = { recipients: ["+14155550123"], ...text };

/** Fields of an estimate that name the kind of send. */
const EITHER = ["to", "recipients"];

/** Programs that write every field of a type write null where they have no value. */
test.each([
  { operation: "a send", schema: SendMessageInput, given: single },
  { operation: "a bulk", schema: SendBulkInput, given: bulk },
  { operation: "the estimate of a send", schema: EstimateInput, given: single },
  { operation: "the estimate of a bulk", schema: EstimateInput, given: bulk },
])("every optional field of $operation may be null", ({ schema, given }) => {
  const optional = Object.keys(schema.shape).filter((name) => !(name in given) && !EITHER.includes(name));
  const nulls = Object.fromEntries(optional.map((name) => [name, null]));
  expect(schema.safeParse({ ...given, ...nulls }).error).toBeUndefined();
});

test("names and values of variables are counted in characters, however many units these have", () => {
  const values = (units: number) => [{ name: "😀".repeat(units), order: "1" }, { name: "Ann" }];
  const parse = (variables: object[]) => SendBulkInput.safeParse({ ...bulk, variables });
  expect(parse(values(1_600)).data?.variables).toEqual(values(1_600));
  expect(parse(values(1_601)).success).toBe(false);
  const named = (characters: number) => [{ ["😀".repeat(characters)]: "x", order: "1" }, { name: "Ann" }];
  expect(parse(named(100)).data?.variables).toEqual(named(100));
  expect(parse(named(101)).success).toBe(false);
});
