import { expect, test } from "vitest";
import type { Reply } from "../load/replies";
import type { Evidence } from "./evidence";
import { ACCOUNT, goodRun, TO } from "./good-run";
import { judgeReplies } from "./judge-replies";

const SENDER = "+14155550100";

/** A good run whose recipient had previously sent these texts. */
function repliedRun(texts: string[], change: Partial<Reply> = {}, copies = 1): Evidence {
  const run = goodRun();
  const reply: Reply = { accountId: ACCOUNT, carrier: "twilio", from: TO, to: SENDER, texts, isTaken: true, ...change };
  const stored = { accountId: ACCOUNT, provider: reply.carrier, from: TO, to: SENDER };
  const inbound = texts.flatMap((body, at) =>
    Array.from({ length: copies }, (_, copy) => ({ ...stored, id: `inb_${at}_${copy}`, body })),
  );
  const events = inbound.map(({ id }) => ({ id: `evt_${id}`, messageId: id, accountId: ACCOUNT, status: "received" }));
  return {
    ...run,
    replies: [reply],
    database: { ...run.database, inbound, events: [...run.database.events, ...events] },
  };
}

const asBlocked = (run: Evidence): Evidence => ({
  ...run,
  requests: [],
  database: {
    ...run.database,
    messages: run.database.messages.map((message) => ({
      ...message,
      ...{ status: "failed", errorCode: "blocklisted", costMicros: 0 },
    })),
  },
});

test("a person who last said START, or no keyword, gets messages; one who said STOP does not", () => {
  expect(judgeReplies(repliedRun(["STOP", "START"]))).toEqual([]);
  expect(judgeReplies(repliedRun(["Is the table free?"]))).toEqual([]);
  expect(judgeReplies(asBlocked(repliedRun(["STOP"])))).toEqual([]);
  expect(judgeReplies(repliedRun(["STOP"]))).toHaveLength(1);
  expect(judgeReplies({ ...asBlocked(repliedRun(["STOP"])), requests: repliedRun([]).requests })).toHaveLength(1);
  expect(judgeReplies(asBlocked(repliedRun(["STOP", "START"])))).toHaveLength(1);
});

test("an acknowledged text is stored once, in its account, with its event", () => {
  const run = repliedRun(["Hello"]);
  const [message] = run.database.inbound;
  expect(judgeReplies(repliedRun(["Hello"], {}, 0))).toHaveLength(1);
  expect(judgeReplies(repliedRun(["Hello"], { isTaken: false }, 0))).toEqual([]);
  expect(judgeReplies(repliedRun(["Hello"], {}, 2))).toHaveLength(1);
  expect(judgeReplies(repliedRun(["Hello"], { carrier: "smpp" }, 2))).toEqual([]);
  expect(judgeReplies({ ...run, database: { ...run.database, events: [] } })).toHaveLength(1);
  const foreign = message ? [{ ...message, accountId: "acc_2" }] : [];
  expect(judgeReplies({ ...run, database: { ...run.database, inbound: foreign } })).toHaveLength(2);
});
