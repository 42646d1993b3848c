import { expect, test } from "vitest";
import { keyOptions } from "./key-options";

test("keys with the same name are distinguished by their hints", () => {
  const keys = [
    { id: "key_1", name: "Shop", key_hint: "ds_live_a…1" },
    { id: "key_2", name: "Billing", key_hint: "ds_live_b…2" },
    { id: "key_3", name: "Shop", key_hint: "ds_live_c…3" },
  ];
  expect(keyOptions(keys)).toEqual([
    { value: "key_1", label: "Shop (ds_live_a…1)" },
    { value: "key_2", label: "Billing" },
    { value: "key_3", label: "Shop (ds_live_c…3)" },
  ]);
});
