import { expect, test } from "vitest";
import { allowedAt, canonicalPath, matchOperation, namesBeside, type OperationTable, tableOf } from "./operations";

const procedure = (method: string, path: string, type = "query") => ({
  _def: { type, meta: { openapi: { method, path } } },
});

const table: OperationTable = tableOf({
  _def: {
    procedures: {
      "messages.list": procedure("GET", "/messages"),
      "messages.get": procedure("GET", "/messages/{id}"),
      "messages.send": procedure("POST", "/messages/send", "mutation"),
      "messages.estimate": {
        _def: { type: "mutation", meta: { creates: false, openapi: { method: "POST", path: "/messages/estimate" } } },
      },
      "messages.detail": { _def: { type: "query" } },
    },
  },
});

test("operations are found by method and path, with their path parameters", () => {
  expect(matchOperation(table, "GET", "/messages")?.operation.procedure).toBe("messages.list");
  expect(matchOperation(table, "POST", "/messages/send")?.operation.procedure).toBe("messages.send");
  expect(matchOperation(table, "GET", "/messages/msg_1")).toMatchObject({ params: { id: "msg_1" } });
  expect(matchOperation(table, "GET", "/messages/a%2Fb")).toMatchObject({ params: { id: "a/b" } });
});

test("all spellings of a path have one canonical form, which no other path has", () => {
  const formOf = (path: string) => {
    const match = matchOperation(table, "GET", path);
    return match && canonicalPath(match);
  };
  expect(formOf("/messages")).toBe("/messages");
  for (const path of ["/messages/msg_1a", "/messages/msg%5F1a", "/messages/%6dsg%5f1%61", "/messages/%6Dsg_1a"]) {
    expect(formOf(path)).toBe("/messages/msg_1a");
  }
  expect(formOf("/messages/a%2Fb")).toBe("/messages/a%2Fb");
  expect(formOf("/messages/a%2fb")).toBe("/messages/a%2Fb");
});

test("a POST creates unless its meta says that it does not; nothing else creates", () => {
  expect(matchOperation(table, "POST", "/messages/send")?.operation.creates).toBe(true);
  expect(matchOperation(table, "POST", "/messages/estimate")?.operation.creates).toBe(false);
  expect(matchOperation(table, "GET", "/messages/msg_1")?.operation.creates).toBe(false);
});

test.each([
  ["PUT", "/messages"],
  ["GET", "/messages/"],
  ["GET", "/messages/a/b"],
  ["GET", "/messages/%zz"],
  ["GET", "/messages/send"],
  ["GET", "/constructor"],
  ["GET", ""],
])("knows no %s %s", (method, path) => {
  expect(matchOperation(table, method, path)).toBeNull();
});

test("fields that belong to one of several alternatives are unknown together with another", () => {
  const operation = matchOperation(table, "POST", "/messages/estimate")?.operation;
  if (!operation) throw new Error("No operation.");
  const chosen = {
    ...operation,
    inputs: new Set(["to", "recipients", "body", "reference", "variables"]),
    oneOf: { to: ["reference"], recipients: ["variables"] },
  };
  const beside = (...given: string[]) => [...namesBeside(chosen, given)];
  expect(beside("to", "body", "variables")).toEqual(["to", "recipients", "body", "reference"]);
  expect(beside("recipients", "reference")).toEqual(["to", "recipients", "body", "variables"]);
  // Without exactly one choice all names are known: the choice itself is refused.
  expect(beside("to", "recipients")).toEqual([...chosen.inputs]);
  expect(beside("body", "variables")).toEqual([...chosen.inputs]);
});

test("a fixed path has its own methods, not those of an id in its place", () => {
  expect(allowedAt(table, "/messages/send")).toBe("POST, OPTIONS");
  expect(allowedAt(table, "/messages/msg_1")).toBe("GET, HEAD, OPTIONS");
});
