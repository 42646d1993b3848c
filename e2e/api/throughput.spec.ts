import type { Carrier } from "../../test/carriers/carrier";
import { type Customer, newCustomer, newNumber, takenFor } from "../support/installation/customer";
import type { Installation } from "../support/installation/installation";
import { expect, testWith } from "../support/installation/installation-test";

const CARRIERS = ["twilio", "plivo", "telnyx", "messagebird"] as const;
const RATE = 10;
const LONG_TEXT = "Your parcel is on its way. ".repeat(15).trim();
const LONG_SEGMENTS = 3;
/** Processes read the limits every second. */
const KNOWN_EVERYWHERE_MS = 2_000;
/** The time that a message may take to reach the carrier after it was let go, on a busy machine. */
const LATE_S = 2;

/** Two workers, which together must keep one rate. */
const test = testWith({ carriers: CARRIERS, workers: 2, settings: { PROVIDER_TIMEOUT_MS: "10000" } });

test.describe.configure({ mode: "default" });

test.beforeEach(({ installation }) => installation.database.rows(NOTE_GOINGS));

type Own = Installation<(typeof CARRIERS)[number]>;
/** A message that was let go: when, in seconds, and how many segments it has. */
type Going = { at: number; segments: number };

/** Sets a provider's throughput limit, which every worker knows within a second. */
async function limitThroughput({ database }: Own, provider: string, rate: number): Promise<void> {
  await database.rows(
    `INSERT INTO providers (id, max_segments_per_second) VALUES ($1, $2)
     ON CONFLICT (id) DO UPDATE SET max_segments_per_second = excluded.max_segments_per_second`,
    [provider, rate],
  );
}

/** Sends messages one by one until one has waited longer than a worker may use an outdated limit. */
async function sendUntilLimited({ database }: Own, customer: Customer): Promise<void> {
  const bucket = "SELECT 1 FROM pace_buckets WHERE id LIKE 'provider:%' OR id LIKE 'sender:%'";
  const before = (await database.rows(bucket)).length;
  const startedAt = Date.now();
  await expect
    .poll(async () => {
      await customer.reaches(await customer.send(newNumber()), "sent");
      return (await database.rows(bucket)).length > before && Date.now() - startedAt > KNOWN_EVERYWHERE_MS;
    })
    .toBe(true);
}

/** Fails if more segments went in any stretch of time than the rate and a burst of one second allow. */
function expectWithin(goings: Going[], rate: number, lateS: number): void {
  const inOrder = goings.toSorted((one, other) => one.at - other.at);
  const tooMany: string[] = [];
  for (const [from, first] of inOrder.entries()) {
    let segments = 0;
    for (const { at, segments: more } of inOrder.slice(from)) {
      const seconds = at - first.at;
      // The last message goes as a whole as soon as there is room for a part of it.
      if (segments >= rate * (seconds + 1 + lateS) + 1) tooMany.push(`${segments} segments within ${seconds} s`);
      segments += more;
    }
  }
  expect(tooMany).toEqual([]);
}

/**
 * Records for each attempt the time up to which its provider's bucket was filled when the message was let go. The attempt's own
 * time is taken some statements later: on a busy machine, more than the tenth of a second in which another message may go.
 */
const NOTE_GOINGS = `CREATE TABLE IF NOT EXISTS noted_goings (message_id text, at timestamptz);
  CREATE OR REPLACE FUNCTION note_going() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO noted_goings SELECT NEW.message_id, refilled_at FROM pace_buckets WHERE id = 'provider:' || NEW.provider;
    RETURN NULL;
  END $$;
  DROP TRIGGER IF EXISTS note_going ON message_attempts;
  -- At COMMIT, when the bucket has been written too.
  CREATE CONSTRAINT TRIGGER note_going AFTER INSERT ON message_attempts DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION note_going()`;

/** When messages were let go. */
async function goingsOf({ database }: Own, ids: string[]): Promise<Going[]> {
  const goings = await database.rows<Going>(
    `SELECT extract(epoch FROM n.at)::float8 AS at, m.segments FROM noted_goings n
     JOIN messages m ON m.id = n.message_id WHERE n.message_id = ANY($1::text[])`,
    [ids],
  );
  expect(goings).toHaveLength(ids.length);
  return goings;
}

const takenTimes = (carrier: Carrier, recipients: string[]): number[] =>
  recipients.flatMap((to) => takenFor(carrier, to).map((message) => message.takenAt.getTime() / 1_000));

const numbers = (count: number) => Array.from({ length: count }, newNumber);

test("two workers together keep a provider's throughput limit, fairly between accounts, and slow nobody else", async ({
  installation,
}) => {
  const { twilio, plivo } = installation.carriers;
  const [route, other] = [await installation.makeRoute("twilio"), await installation.makeRoute("plivo")];
  const [big, small, elsewhere] = await Promise.all(
    [route, route, other].map((routeId) => newCustomer(installation, routeId)),
  );
  if (!big || !small || !elsewhere) throw new Error("An account is missing.");
  await elsewhere.reaches(await elsewhere.send(newNumber()), "sent");
  await limitThroughput(installation, "twilio", RATE);
  await sendUntilLimited(installation, big);

  // Enough messages that most of them still wait when the few arrive, even on a slow machine.
  const [many, few, free] = [numbers(60), numbers(5), numbers(5)];
  const bigIds = await big.sendAll(many);
  const smallIds = await small.sendAll(few);
  await elsewhere.sendAll(free);
  await expect.poll(() => takenTimes(twilio, [...many, ...few]).length).toBe(65);

  const [ofMany, ofFew] = [takenTimes(twilio, many), takenTimes(twilio, few)];
  expectWithin(await goingsOf(installation, [...bigIds, ...smallIds]), RATE, 0);
  expectWithin(
    [...ofMany, ...ofFew].map((at) => ({ at, segments: 1 })),
    RATE,
    LATE_S,
  );
  // The five were sent in between, although they came last.
  const overtaken = ofMany.filter((at) => at > Math.max(...ofFew)).length;
  expect(overtaken).toBeGreaterThan(5);
  await expect.poll(() => takenTimes(plivo, free).length).toBe(5);
  expect(Math.max(...takenTimes(plivo, free))).toBeLessThan(Math.max(...ofMany));
});

test("a throughput limit counts segments, not messages", async ({ installation }) => {
  const { telnyx } = installation.carriers;
  const customer = await newCustomer(installation, await installation.makeRoute("telnyx"));
  await limitThroughput(installation, "telnyx", RATE);
  await sendUntilLimited(installation, customer);
  const recipients = numbers(10);
  const ids = await customer.sendAll(recipients, LONG_TEXT);
  await expect.poll(() => takenTimes(telnyx, recipients).length).toBe(recipients.length);
  const goings = await goingsOf(installation, ids);
  expect(goings.map((going) => going.segments)).toEqual(ids.map(() => LONG_SEGMENTS));
  expectWithin(goings, RATE, 0);
});

test("a sender's own throughput limit holds for that account alone", async ({ installation }) => {
  const { messagebird } = installation.carriers;
  const route = await installation.makeRoute("messagebird");
  const [slow, fast] = await Promise.all([newCustomer(installation, route), newCustomer(installation, route)]);
  const senderRate = RATE / 2;
  await installation.database.rows("UPDATE senders SET max_segments_per_second = $2 WHERE account_id = $1", [
    slow.account.accountId,
    senderRate,
  ]);
  await sendUntilLimited(installation, slow);
  const [paced, free] = [numbers(40), numbers(20)];
  const ids = await slow.sendAll(paced);
  await fast.send(newNumber());
  await fast.sendAll(free);
  await expect.poll(() => takenTimes(messagebird, paced).length).toBe(paced.length);
  expectWithin(await goingsOf(installation, ids), senderRate, 0);
  const last = Math.max(...takenTimes(messagebird, free));
  expect(takenTimes(messagebird, free)).toHaveLength(free.length);
  expect(takenTimes(messagebird, paced).filter((at) => at > last).length).toBeGreaterThan(0);
});
