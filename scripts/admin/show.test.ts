import { expect, test } from "vitest";
import { show } from "./show";

test("each field has a line, and an empty line separates two rows", () => {
  expect(show([])).toBe("nothing\n");
  expect(show({ id: "key_1", scopes: ["sms:send", "sms:read"], note: null })).toBe(
    "id      key_1\nscopes  sms:send,sms:read\nnote    -\n",
  );
  expect(show([{ id: 1 }, { id: 2 }])).toBe("id  1\n\nid  2\n");
});

test("the row of a field is below its name", () => {
  expect(show({ digests: 1, newest: { number: "1", day: "2026-01-31" }, noted: "found" }).split("\n")).toEqual([
    "digests  1",
    "newest",
    "  number  1",
    "  day     2026-01-31",
    "noted    found",
    "",
  ]);
  expect(show({ newest: null })).toBe("newest  -\n");
});

test("the rows of a list field are below its name", () => {
  const drifted = [
    { accountId: "acc_1", ledger: 0.5, faultyMessages: ["msg_1", "msg_2"] },
    { accountId: "acc_2", ledger: 2, faultyMessages: [] },
  ];
  expect(show({ accounts: 2, drifted }).split("\n")).toEqual([
    "accounts  2",
    "drifted",
    "  accountId       acc_1",
    "  ledger          0.5",
    "  faultyMessages  msg_1,msg_2",
    "",
    "  accountId       acc_2",
    "  ledger          2",
    "  faultyMessages  ",
    "",
  ]);
  expect(show({ accounts: 2, drifted: [] })).toBe("accounts  2\ndrifted   \n");
});
