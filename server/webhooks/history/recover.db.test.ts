import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import {
  deliveriesOf,
  raiseSent,
  recordWaitingOf,
  runDeliveryJobs,
  type TestWebhook,
  takeDeliveryJobs,
  triesOf,
  webhooksOfFile,
} from "@/test/database/webhooks";
import { status } from "@/test/network/receiver";
import { inAccountQueue } from "../../accounts/account-queue";
import { pool } from "../../core/db";
import { databaseUnavailable, isApiError } from "../../core/errors";
import { type JobPayload, jobs } from "../../core/jobs";
import { deleteEndpoint, enableEndpoint, getEndpoint } from "../service";
import { deliverWebhooks } from "../tasks";
import { listDeliveries } from "./list-deliveries";
import { continueRecovery, recoverDeliveries } from "./recover";

const LONG_AGO = "2020-01-01T00:00:00Z";

const setUp = webhooksOfFile();

const recover = ({ account, endpoint }: TestWebhook, since = LONG_AGO) =>
  recoverDeliveries(account.actor, { id: endpoint.id, since });

const refusalOf = (promise: Promise<unknown>) =>
  promise.then(
    () => null,
    (thrown: unknown) => (isApiError(thrown) ? { status: thrown.status, ...thrown.wire } : thrown),
  );

/** Makes deliveries without jobs, in the status `to`. */
async function park(setup: TestWebhook, count: number, to: "held" | "abandoned"): Promise<void> {
  await raiseSent(setup, count);
  await recordWaitingOf(setup.endpoint.id);
  await takeDeliveryJobs(setup.endpoint.id);
  await pool().query(
    `UPDATE webhook_deliveries SET status = $2, attempts = CASE WHEN $2 = 'abandoned' THEN 6 ELSE 0 END,
       next_attempt_at = NULL, finished_at = CASE WHEN $2 = 'abandoned' THEN now() END
     WHERE endpoint_id = $1 AND status = 'pending'`,
    [setup.endpoint.id, to],
  );
}

const queuedIds = async ({ endpoint }: TestWebhook) =>
  (await takeDeliveryJobs(endpoint.id)).flatMap((job) => job.payload.deliveryIds).sort();

const idsOf = async ({ endpoint }: TestWebhook) => (await deliveriesOf(endpoint.id)).map((delivery) => delivery.id);

/** Takes the jobs that continue recoveries out of the queue. */
async function takeContinuations(): Promise<JobPayload<"recover_deliveries">[]> {
  const { rows } = await pool().query<{ payload: JobPayload<"recover_deliveries"> }>(
    `DELETE FROM graphile_worker._private_jobs j USING graphile_worker._private_tasks t
     WHERE t.id = j.task_id AND t.identifier = 'recover_deliveries' RETURNING j.payload`,
  );
  return rows.map(({ payload }) => jobs.recover_deliveries.parse(payload));
}

describe("a recovery", () => {
  test("sends everything parked by 25 failures exactly once more, whatever old jobs are still queued", async () => {
    const setup = await setUp(status(500));
    const { account, endpoint, receiver } = setup;
    await raiseSent(setup, 1);
    await runDeliveryJobs(endpoint.id);
    await raiseSent(setup, 60);
    const oldJobs = await takeDeliveryJobs(endpoint.id);
    for (const { payload } of oldJobs) await deliverWebhooks(payload);
    await raiseSent(setup, 5);
    expect(await getEndpoint(account.actor, endpoint.id)).toMatchObject({ is_active: false });
    expect(new Set((await deliveriesOf(endpoint.id)).map((each) => each.status))).toEqual(new Set(["held"]));
    const failedTries = await triesOf(endpoint.id);

    expect(await refusalOf(recover(setup))).toMatchObject({ status: 400, details: { reason: "endpoint_disabled" } });
    await enableEndpoint(account.actor, endpoint.id);
    expect(new Set((await deliveriesOf(endpoint.id)).map((each) => each.status))).toEqual(new Set(["held"]));
    receiver.received.splice(0);
    receiver.respondWith(status(200));
    expect(await recover(setup)).toEqual({ object: "webhook_recovery", recovered: 66 });
    for (const { payload } of oldJobs) await deliverWebhooks(payload);
    await runDeliveryJobs(endpoint.id);
    for (const { payload } of oldJobs) await deliverWebhooks(payload);

    const deliveries = await deliveriesOf(endpoint.id);
    expect(new Set(deliveries.map((each) => `${each.status} ${each.round} ${each.attempts}`))).toEqual(
      new Set(["delivered 1 1"]),
    );
    const ids = receiver.received.map(({ body }) => JSON.parse(body.toString()).id);
    expect(ids.sort()).toEqual(deliveries.map((delivery) => delivery.eventId).sort());
    expect(await takeDeliveryJobs(endpoint.id)).toEqual([]);

    const tries = await triesOf(endpoint.id);
    expect(tries).toHaveLength(failedTries.length + 66);
    expect(tries.filter((made) => made.round === 0)).toEqual(failedTries);
    const { items } = await listDeliveries(account.actor, { id: endpoint.id, page: 4, limit: 20 });
    expect(items.at(-1)).toMatchObject({
      status: "delivered",
      round: 1,
      attempts: 1,
      tries: [
        { round: 0, attempt: 1, status_code: 500 },
        { round: 1, attempt: 1, status_code: 200, error: null },
      ],
    });
  });

  test("takes held and abandoned deliveries since the given time, and no others", async () => {
    const setup = await setUp();
    await park(setup, 3, "abandoned");
    await park(setup, 2, "held");
    await raiseSent(setup, 1);
    await runDeliveryJobs(setup.endpoint.id);
    await raiseSent(setup, 1);
    await recordWaitingOf(setup.endpoint.id);
    const waiting = await queuedIds(setup);
    const [older, ...rest] = await idsOf(setup);
    await pool().query("UPDATE webhook_deliveries SET created_at = '2026-01-01T00:00:00Z' WHERE id = $1", [older]);
    const [same] = rest;
    await pool().query("UPDATE webhook_deliveries SET created_at = '2026-02-01T00:00:00Z' WHERE id = $1", [same]);

    expect(await recover(setup, "2026-02-01T01:00:00+01:00")).toMatchObject({ recovered: 4 });
    expect(await queuedIds(setup)).toEqual(rest.slice(0, 4).sort());
    const states = (await deliveriesOf(setup.endpoint.id)).map(
      (each) => `${each.status} ${each.round} ${each.attempts} ${each.finishedAt !== null}`,
    );
    expect(states).toEqual([
      "abandoned 0 6 true",
      ...Array(4).fill("pending 1 0 false"),
      "delivered 0 1 true",
      "pending 0 0 false",
    ]);
    expect(waiting).toEqual([rest.at(-1)]);
    expect(await recover(setup, "0000-01-01T00:00:00Z")).toMatchObject({ recovered: 1 });
    expect(await recover(setup, "9999-12-31T23:59:59Z")).toMatchObject({ recovered: 0 });
  });

  test("begins the whole schedule again, and can be repeated", async () => {
    const setup = await setUp(status(500));
    const { endpoint } = setup;
    await raiseSent(setup, 1);
    for (const _ of Array(6)) await runDeliveryJobs(endpoint.id);
    expect(await deliveriesOf(endpoint.id)).toMatchObject([{ status: "abandoned", round: 0, attempts: 6 }]);
    for (const round of [1, 2]) {
      expect(await recover(setup)).toMatchObject({ recovered: 1 });
      for (const _ of Array(6)) await runDeliveryJobs(endpoint.id);
      expect(await deliveriesOf(endpoint.id)).toMatchObject([{ status: "abandoned", round, attempts: 6 }]);
    }
    expect((await triesOf(endpoint.id)).map((made) => `${made.round}.${made.attempt}`)).toEqual(
      [0, 1, 2].flatMap((round) => [1, 2, 3, 4, 5, 6].map((attempt) => `${round}.${attempt}`)),
    );
  });

  test("of thousands of deliveries queues each once, even under concurrent calls", async () => {
    const setup = await setUp();
    await park(setup, 2_500, "held");
    const results = await Promise.all([recover(setup), recover(setup), recover(setup)]);
    expect(results.reduce((sum, result) => sum + result.recovered, 0)).toBe(2_500);
    const queued = await takeDeliveryJobs(setup.endpoint.id);
    expect(queued.every((job) => job.payload.deliveryIds.length === 100)).toBe(true);
    expect(queued.flatMap((job) => job.payload.deliveryIds).sort()).toEqual((await idsOf(setup)).sort());
    expect(await recover(setup)).toMatchObject({ recovered: 0 });
  });

  test("that is too long for its call is continued by jobs, each delivery once, even if a job runs twice or its worker stops", async () => {
    const setup = await setUp();
    await park(setup, 3_500, "held");
    const input = { id: setup.endpoint.id, since: LONG_AGO };
    const first = await recoverDeliveries(setup.account.actor, input, { stepsMax: 1 });
    expect(first).toEqual({ object: "webhook_recovery", recovered: 1_000 });
    const [second, ...others] = await takeContinuations();
    expect(others).toEqual([]);
    for (const _ of ["once", "twice"]) if (second) await continueRecovery(second, undefined, { stepsMax: 1 });
    // The second run has made the step behind that of the first.
    const [third, fourth] = await takeContinuations();
    if (third) await continueRecovery(third, AbortSignal.abort());
    if (fourth) await continueRecovery(fourth);
    const states = async () => (await deliveriesOf(setup.endpoint.id)).map((each) => `${each.status} ${each.round}`);
    for (let [next] = await takeContinuations(); next; [next] = await takeContinuations()) await continueRecovery(next);
    expect(new Set(await states())).toEqual(new Set(["pending 1"]));
    expect(await queuedIds(setup)).toEqual((await idsOf(setup)).sort());
  });

  test("is not continued once its endpoint is disabled", async () => {
    const setup = await setUp();
    await park(setup, 1_500, "held");
    await recoverDeliveries(setup.account.actor, { id: setup.endpoint.id, since: LONG_AGO }, { stepsMax: 1 });
    const [next] = await takeContinuations();
    await pool().query("UPDATE webhook_endpoints SET is_active = false WHERE id = $1", [setup.endpoint.id]);
    if (next) await continueRecovery(next);
    const states = (await deliveriesOf(setup.endpoint.id)).map((each) => each.status);
    expect(states.filter((state) => state === "held")).toHaveLength(500);
    expect(await takeContinuations()).toEqual([]);
  });

  test("that fails after its first step says that part of it was carried out, and the next call does the rest", async () => {
    const setup = await setUp();
    const { account, endpoint } = setup;
    await park(setup, 2_500, "held");
    const interrupted = refusalOf(recover(setup));
    // Its turn comes between the first two steps; the second one waits behind it, and is refused with it.
    const other = refusalOf(
      inAccountQueue(account.accountId, async () => {
        await setImmediate();
        throw databaseUnavailable({ nothingDone: true });
      }),
    );
    expect(await other).toMatchObject({ details: { reason: "database_unavailable" } });
    expect(await interrupted).toMatchObject({
      status: 503,
      details: { reason: "recovery_interrupted", recovered: 1_000, retry_after: 2 },
      message: "Only a part of the deliveries was recovered. Repeat the request: it recovers the rest.",
    });
    const states = (await deliveriesOf(endpoint.id)).map((each) => `${each.status} ${each.round}`);
    expect(states.filter((state) => state === "pending 1")).toHaveLength(1_000);
    expect(states.filter((state) => state === "held 0")).toHaveLength(1_500);

    expect(await recover(setup)).toMatchObject({ recovered: 1_500 });
    expect(await queuedIds(setup)).toEqual((await idsOf(setup)).sort());
  });

  test("whose first step fails says that nothing was carried out", async () => {
    const setup = await setUp();
    await park(setup, 1, "held");
    const other = refusalOf(
      inAccountQueue(setup.account.accountId, async () => {
        await setImmediate();
        throw databaseUnavailable({ nothingDone: true });
      }),
    );
    expect(await refusalOf(recover(setup))).toMatchObject({ details: { reason: "database_unavailable" } });
    await other;
    expect(await deliveriesOf(setup.endpoint.id)).toMatchObject([{ status: "held", round: 0 }]);
  });

  test("is 404 for another account and for a deleted endpoint", async () => {
    const [setup, other] = [await setUp(), await setUp()];
    await park(setup, 1, "held");
    const { id } = setup.endpoint;
    const foreign = recoverDeliveries(other.account.actor, { id, since: LONG_AGO });
    expect(await refusalOf(foreign)).toMatchObject({ status: 404, param: "id" });
    await deleteEndpoint(setup.account.actor, id);
    expect(await refusalOf(recover(setup))).toMatchObject({ status: 404, param: "id" });
    expect(await deliveriesOf(id)).toMatchObject([{ status: "held", round: 0 }]);
  });
});
