import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { MessagingClient } from "./client";

test("the README names every method of every resource", () => {
  const client = new MessagingClient({ baseUrl: "http://localhost/api/v1", apiKey: "ds_live_test" });
  const wordsOf = (text: string) => [...text.matchAll(/`(\w+)`/g)].map(([, word]) => word).sort();
  const [, table = ""] = readFileSync("sdk/README.md", "utf8").match(/\| resource \| methods \|\n(.*?)\n\n/s) ?? [];
  const named = [...table.matchAll(/^\| `(\w+)` \| (.*) \|$/gm)].map(([, name, methods = ""]) => [
    name,
    wordsOf(methods),
  ]);
  const methodsOf = (resource: object) => Object.getOwnPropertyNames(Object.getPrototypeOf(resource)).slice(1).sort();
  const resources = Object.entries(client).filter(([, value]) => typeof value === "object");
  expect(named).toEqual(resources.map(([name, resource]) => [name, methodsOf(resource)]));
});
