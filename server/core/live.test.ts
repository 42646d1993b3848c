import { expect, test } from "vitest";
import { changesIn, type LiveTopic, payloadsOf } from "./live";

test("a notification is parsed back into what was written", () => {
  const changes = new Map<string, Set<LiveTopic>>([
    ["acc_1", new Set(["messages", "deliveries"])],
    ["acc_2", new Set(["deliveries"])],
  ]);
  const [payload = "", ...more] = payloadsOf(changes);
  expect(more).toEqual([]);
  expect([...changesIn(payload)]).toEqual([
    ["acc_1", ["messages", "deliveries"]],
    ["acc_2", ["deliveries"]],
  ]);
});

test("thousands of accounts fit into payloads that PostgreSQL accepts, and none is left out", () => {
  const ids = Array.from({ length: 3_000 }, (_, at) => `acc_${String(at).padStart(26, "0")}`);
  const payloads = payloadsOf(new Map(ids.map((id) => [id, new Set<LiveTopic>(["messages"])])));
  expect(Math.max(...payloads.map((payload) => payload.length))).toBeLessThan(8_000);
  expect(payloads.flatMap((payload) => [...changesIn(payload).keys()])).toEqual(ids);
});

test("additions of a later version are ignored", () => {
  expect([...changesIn("acc_1:novelty acc_2:messages,novelty nonsense")]).toEqual([["acc_2", ["messages"]]]);
});
