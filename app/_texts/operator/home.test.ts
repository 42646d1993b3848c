import { expect, test } from "vitest";
import { jobs } from "@/server/core/jobs";
import { operatorHomeTexts } from "./home";

test("every task has a name in plain words, and no two have the same", () => {
  const names = Object.keys(jobs).map((task) => operatorHomeTexts.queues.nameOf(task));
  expect(new Set(names).size).toBe(names.length);
  for (const [at, task] of Object.keys(jobs).entries()) {
    expect(names[at]).toMatch(/^[A-Z][a-z]+( [a-zA-Z-]+,?)+$/);
    expect(names[at]?.toLowerCase()).not.toBe(task.replaceAll("_", " "));
  }
});

test("a task that only another release knows keeps its identifier", () => {
  expect(operatorHomeTexts.queues.nameOf("sweep_planets")).toBe("sweep_planets");
  expect(operatorHomeTexts.queues.nameOf("constructor")).toBe("constructor");
});

test("the routes on which messages wait are named, and counted where they are many", () => {
  const { messagesWait } = operatorHomeTexts.tasks;
  expect(messagesWait(["49"], 0)).toBe("Messages wait: every provider of the route +49… is drained or failing");
  expect(messagesWait(["", "49"], 3)).toBe(
    "Messages wait: every provider of the routes All destinations, +49… and 3 more is drained or failing",
  );
});
