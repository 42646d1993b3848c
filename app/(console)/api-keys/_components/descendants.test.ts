import { expect, test } from "vitest";
import { descendantsOf } from "./descendants";

test("children and their children descend from a key, other keys do not", () => {
  const made = (id: string, created_by: string | null) => ({ id, created_by });
  const keys = [
    made("key_5", "key_4"),
    made("key_4", "key_2"),
    made("key_3", null),
    made("key_2", "key_1"),
    made("key_1", null),
  ];
  expect(descendantsOf("key_1", keys).map((key) => key.id)).toEqual(["key_5", "key_4", "key_2"]);
  expect(descendantsOf("key_2", keys).map((key) => key.id)).toEqual(["key_5", "key_4"]);
  expect(descendantsOf("key_3", keys)).toEqual([]);
});
